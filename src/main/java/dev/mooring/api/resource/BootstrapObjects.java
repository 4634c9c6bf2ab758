package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.Violations;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * The initial objects: two namespaces, this host's Node, and the built-in storage classes. They are created by one
 * event, the first of the log, so that they are created atomically and only once: objects that a user deletes stay
 * deleted.
 */
public final class BootstrapObjects {
    /** Actor of the first event. */
    private static final String ACTOR = "mooring";

    private static final String STORAGE_CLASSES = "storageclasses.storage.k8s.io";

    private final Catalog catalog;
    private final Clock clock;
    private final IdGenerator ids;

    public BootstrapObjects(Catalog catalog, Clock clock, IdGenerator ids) {
        this.catalog = catalog;
        this.clock = clock;
        this.ids = ids;
    }

    /** Returns the proposal; empty if the log has any event. */
    public Optional<Proposal> proposal(World world, String node) {
        if (world.revision() > 0) {
            return Optional.empty();
        }
        Proposal.Builder proposal = Proposal.by(ACTOR, "MooringInstalled");
        for (String namespace : List.of("default", "kube-node-lease", "kube-system")) {
            add(proposal, "namespaces", Optional.empty(), namespace, object());
            add(proposal, "serviceaccounts", Optional.of(namespace), "default", object());
        }
        add(proposal, "nodes", Optional.empty(), node, node(node));
        add(proposal, STORAGE_CLASSES, Optional.empty(), "hostPath", defaultClass(provisioned("mooring.dev/hostpath")));
        add(proposal, STORAGE_CLASSES, Optional.empty(), "nfs", provisioned("mooring.dev/nfs"));
        add(proposal, STORAGE_CLASSES, Optional.empty(), "block", provisioned("mooring.dev/block"));
        add(
                proposal,
                STORAGE_CLASSES,
                Optional.empty(),
                "local",
                object().put("provisioner", "kubernetes.io/no-provisioner")
                        .put("volumeBindingMode", "WaitForFirstConsumer"));
        return Optional.of(proposal.build());
    }

    /** Returns a class whose volumes Mooring provisions, also under the name that a claim requests, as in Minik8s. */
    private static ObjectNode provisioned(String provisioner) {
        ObjectNode made = object().put("provisioner", provisioner).put("allowVolumeExpansion", true);
        made.putObject("parameters").put("createMissingVolume", "true");
        return made;
    }

    private static ObjectNode defaultClass(ObjectNode made) {
        made.withObject("/metadata/annotations").put("storageclass.kubernetes.io/is-default-class", "true");
        return made;
    }

    private static ObjectNode node(String name) {
        ObjectNode node = object();
        ObjectNode labels = node.withObject("/metadata/labels");
        labels.put("kubernetes.io/hostname", name);
        labels.put("kubernetes.io/os", "linux");
        node.putObject("spec");
        return node;
    }

    private void add(
            Proposal.Builder proposal, String resource, Optional<String> namespace, String name, ObjectNode object) {
        KindDefinition kind = catalog.ofResource(resource).orElseThrow();
        object.put("kind", kind.names().kind()).put("apiVersion", kind.names().apiVersion());
        ObjectNode metadata = ObjectJson.metadata(object);
        metadata.put("name", name);
        namespace.ifPresent(in -> metadata.put("namespace", in));
        metadata.put("uid", ids.uid());
        metadata.put(
                "creationTimestamp",
                clock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
        kind.rules().prepareForCreate(object);
        kind.rules().applyDefaults(object);
        Violations violations = new Violations();
        kind.metadata().validate(object, violations);
        kind.rules().validate(object, violations);
        if (!violations.isEmpty()) {
            throw new IllegalStateException(kind + " " + name + " is invalid: " + violations);
        }
        ObjectKey key = kind.key(namespace, name);
        proposal.create(Draft.of(key, ObjectJson.ordered(object)));
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }
}
