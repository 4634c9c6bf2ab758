package dev.mooring.control.namespace;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.Removal;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Cause;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.KindResources;
import dev.mooring.model.KindResources.Entry;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Empties namespaces that are being deleted, and lets them go when they are empty.
 *
 * <p>Pods go first, and nothing else goes before the last of them: they still use it. Then claims, then the rest; last what others may
 * be described by. Whatever has finalizers is marked and waited for, and the namespace's conditions say for what. Each object is an
 * event of its own, so that a watcher can resume between any two.
 *
 * <p>Nothing new comes in meanwhile: whoever creates an object in a namespace does so upon that namespace's revision.
 */
public final class NamespaceCleaner implements Controller {
    private static final String NAME = "namespace-controller";
    private static final String NAMESPACES = "namespaces";
    private static final String FINALIZER = "kubernetes";

    /** Deletions decided at once; then others get their turn. */
    static final int MAX_PER_PASS = 500;

    /** How often a namespace that waits for many things is looked at, as these go one by one. */
    static final Duration PACE = Duration.ofSeconds(1);

    private static final Entry PODS = KindResources.ofResource("pods").orElseThrow();

    /** In the order in which they go; what is not named goes after the first and before the last. */
    private static final List<String> FIRST = List.of("persistentvolumeclaims");

    private static final List<String> LAST = List.of("secrets", "configmaps", "serviceaccounts", "events");

    private static final List<Entry> OTHERS = KindResources.namespaced().stream()
            .filter(kind -> !kind.equals(PODS))
            .sorted(Comparator.comparingInt(NamespaceCleaner::turn))
            .toList();

    private static int turn(Entry kind) {
        return FIRST.contains(kind.resource()) ? -1 : LAST.indexOf(kind.resource()) + 1;
    }

    @Override
    public String name() {
        return NAME;
    }

    /** Everything, since almost everything is in a namespace. */
    @Override
    public List<Scope> scopes() {
        return List.of(Scope.all());
    }

    @Override
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        if (change.key().resource().equals(NAMESPACES)) {
            if (!change.isRemoval() && StoredJson.isBeingDeleted(change.object())) {
                wakes.now(change.key());
            }
            return;
        }
        Optional<String> name = change.key().namespace();
        if (name.isEmpty()) {
            return;
        }
        ObjectKey namespace = ObjectKey.clusterWide(NAMESPACES, name.get());
        if (world.get(namespace).filter(StoredJson::isBeingDeleted).isEmpty()) {
            return;
        }
        boolean matters = change.isCreation()
                || (change.isRemoval() && isStageDone(world, change.key().resource(), name.get()));
        if (matters) {
            wakes.now(namespace);
        } else {
            wakes.within(namespace, PACE);
        }
    }

    /** Whether something can be done now that the last of these is gone. */
    private static boolean isStageDone(World world, String resource, String namespace) {
        return world.count(Scope.namespace(resource, namespace)) == 0;
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<StoredObject> seen = world.get(key);
        if (seen.isEmpty() || !StoredJson.isBeingDeleted(seen.get())) {
            return Decision.nothing();
        }
        ObjectNode namespace = StoredJson.tree(seen.get());
        Pass pass = new Pass(
                world, key.name(), new Removal(NAME, Cause.revision(seen.get().revision())), now);
        pass.over(PODS);
        if (pass.remaining.isEmpty()) {
            OTHERS.forEach(pass::over);
        }
        if (!pass.deletions.isEmpty()) {
            return Decision.of(pass.deletions).lookAgainAfter(Duration.ZERO);
        }
        return pass.remaining.isEmpty()
                ? Decision.of(finish(seen.get(), namespace, pass.removal))
                : Decision.of(report(seen.get(), namespace, pass));
    }

    /** Everything is gone, so the namespace may go as well, unless others hold it. */
    private static Optional<Proposal> finish(StoredObject seen, ObjectNode namespace, Removal removal) {
        boolean held =
                namespace.path("spec") instanceof ObjectNode spec && Removal.removeText(spec, "finalizers", FINALIZER);
        Proposal proposal = removal.changed(seen, namespace, "Finalized");
        boolean goes = proposal.writes().get(0) instanceof Proposal.Remove;
        return held || goes ? Optional.of(proposal) : Optional.empty();
    }

    /** Says what is waited for, if it does not say so already. */
    private static Optional<Proposal> report(StoredObject seen, ObjectNode namespace, Pass pass) {
        ArrayNode conditions = namespace.withObject("/status").withArray("conditions");
        boolean changed = false;
        for (Condition condition : pass.remaining.conditions()) {
            changed |= condition.writeTo(conditions, pass.now);
        }
        return changed
                ? Optional.of(Proposal.by(NAME, "NamespaceStatusUpdated")
                        .because(pass.removal.cause())
                        .replace(seen, Draft.of(seen.key(), namespace))
                        .build())
                : Optional.empty();
    }

    /** One look at what is in a namespace. */
    private static final class Pass {
        private final World world;
        private final String namespace;
        private final Removal removal;
        private final Instant now;
        private final List<Proposal> deletions = new ArrayList<>();
        private final Remaining remaining = new Remaining();

        private Pass(World world, String namespace, Removal removal, Instant now) {
            this.world = world;
            this.namespace = namespace;
            this.removal = removal;
            this.now = now;
        }

        private void over(Entry kind) {
            for (StoredObject seen : world.list(Scope.namespace(kind.resource(), namespace))) {
                if (deletions.size() == MAX_PER_PASS) {
                    return;
                }
                ObjectNode object = StoredJson.tree(seen);
                remaining.add(kind, object);
                removal.delete(seen, object, now).ifPresent(deletions::add);
            }
        }
    }
}
