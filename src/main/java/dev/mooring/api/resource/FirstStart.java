package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.catalog.Catalog;
import dev.mooring.api.kind.Kind;
import dev.mooring.api.kind.Violations;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * What is there before anybody has made anything: two namespaces, this machine's Node, and the classes a claim can name without anybody
 * writing one. All of it is one event, the log's first: it has happened or it has not, and it happens once, so that what a user deletes
 * stays deleted.
 */
public final class FirstStart {
    /** Writes the first event. */
    private static final String ACTOR = "mooring";

    private static final String STORAGE_CLASSES = "storageclasses.storage.k8s.io";

    private final Catalog catalog;
    private final Clock clock;
    private final Ids ids;

    public FirstStart(Catalog catalog, Clock clock, Ids ids) {
        this.catalog = catalog;
        this.clock = clock;
        this.ids = ids;
    }

    /** What to propose; nothing if anything has ever happened. */
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

    /** A class whose volumes Mooring makes itself, also under a name that a claim asks for, as Minik8s did. */
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
        Kind kind = catalog.ofResource(resource).orElseThrow();
        object.put("kind", kind.names().kind()).put("apiVersion", kind.names().apiVersion());
        ObjectNode metadata = Json.metadata(object);
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
            throw new IllegalStateException("Expected a valid " + kind + " " + name + ", but " + violations);
        }
        ObjectKey key = kind.key(namespace, name);
        proposal.create(Draft.of(key, Json.ordered(object)));
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }
}
