package dev.mooring.sim.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.sim.node.SimKernel.SimMount;
import dev.mooring.volume.ObjectLookup;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.VolumeException;
import java.util.Optional;

/**
 * Simulated plugins for volumes that belong to a Pod: emptyDirs, and directories with the content of a ConfigMap or
 * Secret.
 */
final class SimPodVolumePlugin extends SimPlugin {
    private final String name;
    private final String field;
    private final String resource;
    private final String nameField;

    private SimPodVolumePlugin(SimMachine machine, String name, String field, String resource, String nameField) {
        super(machine);
        this.name = name;
        this.field = field;
        this.resource = resource;
        this.nameField = nameField;
    }

    static SimPodVolumePlugin emptyDir(SimMachine machine) {
        return new SimPodVolumePlugin(machine, "kubernetes.io/empty-dir", "emptyDir", "", "");
    }

    static SimPodVolumePlugin configMap(SimMachine machine) {
        return new SimPodVolumePlugin(machine, "kubernetes.io/configmap", "configMap", "configmaps", "name");
    }

    static SimPodVolumePlugin secret(SimMachine machine) {
        return new SimPodVolumePlugin(machine, "kubernetes.io/secret", "secret", "secrets", "secretName");
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
        String objectName = source.path(field).path(nameField).asText("");
        return resource.isEmpty() || objectName.isEmpty()
                ? Optional.empty()
                : Optional.of(ObjectKey.namespaced(resource, namespace, objectName));
    }

    @Override
    public String contentVersion(JsonNode source, ObjectNode pod, ObjectLookup objects) {
        return object(source, pod.path("metadata").path("namespace").asText(""))
                .flatMap(objects::find)
                .map(each -> Integer.toHexString(each.path("data").toString().hashCode()))
                .orElse("");
    }

    @Override
    SetUpResult doSetUp(SetUpRequest request) throws VolumeException {
        String target = request.target().toString();
        JsonNode source = request.volume().source();
        Optional<ObjectKey> object = object(source, request.pod().namespace());
        Optional<StoredObject> found = object.flatMap(machine().world()::get);
        if (object.isPresent()
                && found.isEmpty()
                && !source.path(field).path("optional").asBoolean(false)) {
            throw VolumeException.clean("NotFound", object.get().resource() + " not found");
        }
        DataLocation location = DataLocation.podOwned(machine().name(), target);
        boolean inMemory = source.path("emptyDir").path("medium").asText("").equals("Memory");
        if (!inMemory) {
            kernel().makeDirectory(target);
        } else if (kernel().top(target).isEmpty()) {
            mount(
                    request.volume(),
                    new SimMount(
                            kernel().nextId(),
                            target,
                            "tmpfs",
                            "tmpfs",
                            location,
                            false,
                            "",
                            request.pod().uid(),
                            ""));
        }
        return new SetUpResult(request.target(), inMemory ? "tmpfs" : "", java.util.List.of(), java.util.List.of());
    }

    @Override
    void doTearDown(TearDownRequest request) {
        String target = request.target().toString();
        machine().checkNotInUse(request.podUid(), target, "removed");
        unmount(target);
        machine().storage().forget(DataLocation.podOwned(machine().name(), target));
    }
}
