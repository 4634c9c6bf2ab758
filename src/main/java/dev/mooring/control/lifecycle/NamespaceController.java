package dev.mooring.control.lifecycle;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.ObjectDeleter;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Cause;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.KindResources;
import dev.mooring.model.KindResources.ResourceKind;
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
 * The namespace controller: deletes the content of terminating namespaces, then the namespaces.
 *
 * <p>Pods are deleted first, and everything else only after the last Pod is gone, because Pods use it. Then claims,
 * then the rest; Secrets, ConfigMaps, ServiceAccounts and Events last. The controller waits for objects with
 * finalizers, and the namespace's conditions report them. Each object is deleted in its own event, so that a watch can
 * resume between any two.
 *
 * <p>No object can be added meanwhile: creating an object has the namespace's revision as precondition.
 */
public final class NamespaceController implements Controller {
    private static final String NAME = "namespace-controller";
    private static final String NAMESPACES = "namespaces";
    private static final String FINALIZER = "kubernetes";

    /** Deletions per reconciliation; then other keys are reconciled. */
    static final int MAX_PER_PASS = 500;

    /** Interval at which the conditions of a namespace with many remaining objects are updated. */
    static final Duration STATUS_INTERVAL = Duration.ofSeconds(1);

    private static final ResourceKind PODS = KindResources.ofResource("pods").orElseThrow();

    /** Deletion order; resources that are not named go after the first and before the last ones. */
    private static final List<String> FIRST = List.of("persistentvolumeclaims");

    private static final List<String> LAST = List.of("secrets", "configmaps", "serviceaccounts", "events");

    private static final List<ResourceKind> OTHERS = KindResources.namespaced().stream()
            .filter(kind -> !kind.equals(PODS))
            .sorted(Comparator.comparingInt(NamespaceController::deletionOrder))
            .toList();

    private static int deletionOrder(ResourceKind kind) {
        return FIRST.contains(kind.resource()) ? -1 : LAST.indexOf(kind.resource()) + 1;
    }

    @Override
    public String name() {
        return NAME;
    }

    /** Returns the scope of all objects, since almost all are namespaced. */
    @Override
    public List<Scope> scopes() {
        return List.of(Scope.all());
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        if (change.key().resource().equals(NAMESPACES)) {
            if (!change.isRemoval() && StoredJson.isBeingDeleted(change.object())) {
                queue.enqueue(change.key());
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
            queue.enqueue(namespace);
        } else {
            queue.enqueueWithin(namespace, STATUS_INTERVAL);
        }
    }

    /** Returns whether the last object of a resource is gone, so that the next stage can start. */
    private static boolean isStageDone(World world, String resource, String namespace) {
        return world.count(Scope.namespace(resource, namespace)) == 0;
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<StoredObject> seen = world.get(key);
        if (seen.isEmpty() || !StoredJson.isBeingDeleted(seen.get())) {
            return Decision.none();
        }
        ObjectNode namespace = seen.get().toTree();
        ContentScan pass = new ContentScan(
                world,
                key.name(),
                new ObjectDeleter(NAME, Cause.revision(seen.get().revision())),
                now);
        pass.scan();
        if (!pass.deletions.isEmpty()) {
            return Decision.of(pass.deletions).requeueAfter(Duration.ZERO);
        }
        return pass.remaining.isEmpty()
                ? Decision.of(finish(seen.get(), namespace, pass.removal))
                : Decision.of(report(seen.get(), namespace, pass));
    }

    /** Returns the objects that must go next before a namespace can: its Pods, and then all others in order. */
    public static Iterable<StoredObject> remaining(World world, String namespace) {
        Scope pods = Scope.namespace(PODS.resource(), namespace);
        return world.count(pods) > 0
                ? world.list(pods)
                : () -> OTHERS.stream()
                        .flatMap(kind -> world.stream(Scope.namespace(kind.resource(), namespace)))
                        .iterator();
    }

    /** Finalizes an empty namespace; it goes unless other finalizers remain. */
    private static Optional<Proposal> finish(StoredObject seen, ObjectNode namespace, ObjectDeleter removal) {
        boolean hadFinalizer = namespace.path("spec") instanceof ObjectNode spec
                && ObjectDeleter.removeText(spec, "finalizers", FINALIZER);
        Proposal proposal = removal.update(seen, namespace, "Finalized");
        boolean removes = proposal.writes().get(0) instanceof Proposal.Remove;
        return hadFinalizer || removes ? Optional.of(proposal) : Optional.empty();
    }

    /** Updates the conditions with the remaining content; empty if they are up to date. */
    private static Optional<Proposal> report(StoredObject seen, ObjectNode namespace, ContentScan pass) {
        ArrayNode conditions = namespace.withObject("/status").withArray("conditions");
        boolean changed = false;
        for (NamespaceCondition condition : pass.remaining.conditions()) {
            changed |= condition.writeTo(conditions, pass.now);
        }
        return changed
                ? Optional.of(Proposal.by(NAME, "NamespaceStatusUpdated")
                        .because(pass.removal.cause())
                        .replace(seen, Draft.of(seen.key(), namespace))
                        .build())
                : Optional.empty();
    }

    /** One scan of a namespace's content. */
    private static final class ContentScan {
        private final World world;
        private final String namespace;
        private final ObjectDeleter removal;
        private final Instant now;
        private final List<Proposal> deletions = new ArrayList<>();
        private final RemainingContent remaining = new RemainingContent();

        private ContentScan(World world, String namespace, ObjectDeleter removal, Instant now) {
            this.world = world;
            this.namespace = namespace;
            this.removal = removal;
            this.now = now;
        }

        private void scan() {
            for (StoredObject seen : remaining(world, namespace)) {
                if (deletions.size() == MAX_PER_PASS) {
                    return;
                }
                ObjectNode object = seen.toTree();
                remaining.add(KindResources.ofResource(seen.key().resource()).orElseThrow(), object);
                removal.delete(seen, object, now).ifPresent(deletions::add);
            }
        }
    }
}
