package dev.mooring.sim.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.sim.node.SimKernel.Mount;
import dev.mooring.volume.ObjectLookup;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.TearDown;
import dev.mooring.volume.VolumeException;
import java.util.Optional;
import java.util.Set;

/** What is a Pod's own: emptyDirs, and directories made of one ConfigMap or Secret. */
final class SimOwn extends SimPlugin {
    private final String name;
    private final String field;
    private final String resource;
    private final String nameField;

    private SimOwn(SimMachine machine, String name, String field, String resource, String nameField) {
        super(machine);
        this.name = name;
        this.field = field;
        this.resource = resource;
        this.nameField = nameField;
    }

    static SimOwn emptyDir(SimMachine machine) {
        return new SimOwn(machine, "kubernetes.io/empty-dir", "emptyDir", "", "");
    }

    static SimOwn configMap(SimMachine machine) {
        return new SimOwn(machine, "kubernetes.io/configmap", "configMap", "configmaps", "name");
    }

    static SimOwn secret(SimMachine machine) {
        return new SimOwn(machine, "kubernetes.io/secret", "secret", "secrets", "secretName");
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean supports(JsonNode source) {
        return source.path(field).isObject();
    }

    private Optional<ObjectKey> object(JsonNode source, String namespace) {
        String of = source.path(field).path(nameField).asText("");
        return resource.isEmpty() || of.isEmpty()
                ? Optional.empty()
                : Optional.of(ObjectKey.namespaced(resource, namespace, of));
    }

    @Override
    public Set<ObjectKey> madeOf(JsonNode source, String namespace) {
        return object(source, namespace).map(Set::of).orElse(Set.of());
    }

    @Override
    public String contentVersion(JsonNode source, ObjectNode pod, ObjectLookup objects) {
        return object(source, pod.path("metadata").path("namespace").asText(""))
                .flatMap(objects::find)
                .map(each -> Integer.toHexString(each.path("data").toString().hashCode()))
                .orElse("");
    }

    @Override
    SetUpDone appear(SetUp what) throws VolumeException {
        String target = what.target().toString();
        JsonNode source = what.volume().source();
        Optional<ObjectKey> object = object(source, what.pod().namespace());
        Optional<StoredObject> found = object.flatMap(machine().world()::get);
        if (object.isPresent()
                && found.isEmpty()
                && !source.path(field).path("optional").asBoolean(false)) {
            throw VolumeException.clean("NotFound", object.get().resource() + " not found");
        }
        Place place = Place.own(machine().name(), target);
        boolean inMemory = source.path("emptyDir").path("medium").asText("").equals("Memory");
        if (!inMemory) {
            kernel().makeDirectory(target);
        } else if (kernel().top(target).isEmpty()) {
            mount(
                    what.volume(),
                    new Mount(
                            kernel().nextId(),
                            target,
                            "tmpfs",
                            "tmpfs",
                            place,
                            false,
                            "",
                            what.pod().uid(),
                            ""));
        }
        return new SetUpDone(what.target(), inMemory ? "tmpfs" : "", java.util.List.of(), java.util.List.of());
    }

    @Override
    void disappear(TearDown what) {
        String target = what.target().toString();
        machine().mayBeTaken(what.podUid(), target, "removed");
        unmount(target);
        machine().storage().forget(Place.own(machine().name(), target));
    }
}
