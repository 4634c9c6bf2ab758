package dev.mooring.control.workloads;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ObjectDeleter;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.world.Index;
import dev.mooring.world.Indexes;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The ControllerRevisions of a StatefulSet or DaemonSet: the templates it had, for rollbacks and partial updates. A
 * revision with the current template is created, or gets the highest number after a rollback. Pure.
 */
final class RevisionHistory {
    static final String RESOURCE = "controllerrevisions.apps";

    /** Label of Pods with their revision. */
    static final String POD_LABEL = "controller-revision-hash";

    static final Index<String> BY_CONTROLLER =
            Indexes.byController("ControllerRevisions by controller", Scope.resource(RESOURCE));

    private final World world;
    private final Workload owner;
    private final String actor;
    private final List<Workload> revisions;
    private final ObjectNode data;

    RevisionHistory(World world, Workload owner, String actor) {
        this.world = world;
        this.owner = owner;
        this.actor = actor;
        this.revisions = world.find(BY_CONTROLLER, owner.uid()).stream()
                .map(Workload::of)
                .sorted(Comparator.comparingLong(RevisionHistory::number).thenComparing(Workload::name))
                .toList();
        this.data = JsonNodeFactory.instance.objectNode();
        ObjectNode template = owner.template().deepCopy();
        template.put("$patch", "replace");
        data.putObject("spec").set("template", template);
    }

    private static long number(Workload revision) {
        return revision.tree().path("revision").asLong(0);
    }

    /** Returns the revision with the current template, if it is the newest. */
    Optional<Workload> update() {
        return equal().filter(found -> number(found) == highest());
    }

    private Optional<Workload> equal() {
        String hash = PodTemplates.hash(data, 0);
        return revisions.stream()
                .filter(each -> PodTemplates.hash(each.tree().path("data"), 0).equals(hash))
                .reduce((first, second) -> second);
    }

    private long highest() {
        return revisions.isEmpty() ? 0 : number(revisions.get(revisions.size() - 1));
    }

    Optional<Workload> named(String name) {
        return revisions.stream().filter(each -> each.name().equals(name)).findFirst();
    }

    /** Returns the template that a revision recorded. */
    static JsonNode template(Workload revision) {
        ObjectNode template =
                revision.tree().path("data").path("spec").path("template").deepCopy();
        template.remove("$patch");
        return template;
    }

    /** Returns the hash of a revision, which the labels of Pods of a DaemonSet have. */
    static String hash(Workload revision) {
        return revision.labels().path("controller.kubernetes.io/hash").asText("");
    }

    /** Returns the proposal that makes the current template the newest revision. */
    Proposal record(Instant now) {
        Optional<Workload> existing = equal();
        if (existing.isPresent()) {
            ObjectNode next = existing.get().copy();
            next.put("revision", (int) highest() + 1);
            return Proposal.by(actor, "ControllerRevisionUpdated")
                    .because(owner.cause())
                    .replace(existing.get().stored(), Draft.of(existing.get().key(), next))
                    .expect(owner.stored())
                    .build();
        }
        String hash = "";
        ObjectKey key = owner.key();
        for (int i = 0; hash.isEmpty() || world.get(key).isPresent(); i++) {
            hash = PodTemplates.hash(data, i);
            key = ObjectKey.namespaced(RESOURCE, owner.namespace(), owner.name() + '-' + hash);
        }
        ObjectNode revision = JsonNodeFactory.instance.objectNode();
        revision.put("kind", "ControllerRevision").put("apiVersion", "apps/v1");
        ObjectNode metadata = PodTemplates.metadata(world, owner, key, now);
        revision.set("metadata", metadata);
        ObjectNode labels = owner.template().path("metadata").path("labels").deepCopy();
        labels.put("controller.kubernetes.io/hash", hash).put(POD_LABEL, hash);
        metadata.set("labels", labels);
        if (!owner.metadata().path("annotations").isEmpty()) {
            ObjectNode annotations = owner.metadata().path("annotations").deepCopy();
            annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
            metadata.set("annotations", annotations);
        }
        metadata.putArray("ownerReferences").add(PodTemplates.controllerRef(owner));
        revision.set("data", data);
        revision.put("revision", (int) highest() + 1);
        return Proposal.by(actor, "ControllerRevisionCreated")
                .because(owner.cause())
                .create(Draft.of(key, revision))
                .expect(owner.stored())
                .build();
    }

    /**
     * Returns the deletion of the oldest unused revision above the limit of the history.
     *
     * @param used names or hashes of the revisions that Pods or the status name
     */
    Optional<Proposal> cleanUp(Set<String> used, Instant now) {
        int limit = owner.spec().path("revisionHistoryLimit").asInt(10);
        List<Workload> unused = revisions.stream()
                .filter(each -> !used.contains(each.name()) && !used.contains(hash(each)) && !each.isBeingDeleted())
                .toList();
        return unused.size() <= limit
                ? Optional.empty()
                : new ObjectDeleter(actor, owner.cause())
                        .delete(unused.get(0).stored(), unused.get(0).copy(), now);
    }
}
