package dev.mooring.replay.explain;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.StorageNames;
import dev.mooring.replay.explain.Explanation.Finding;
import dev.mooring.replay.explain.Explanation.ObjectRef;
import dev.mooring.replay.explain.ResourceExplainer.Explained;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Explains why objects are in their state, and what a user can do. Works on any World, live or past, and changes
 * nothing. May read from disk. Thread-safe.
 *
 * <p>Default closed: a finding about an object that the reader may not read is replaced by one without names or details,
 * together with its causes and next steps.
 */
public final class Explainer {
    /** One line per resource; all others get the generic explanation. */
    private static final Map<String, ResourceExplainer> BY_RESOURCE = Map.ofEntries(
            Map.entry(StorageNames.CLAIMS, new ClaimExplainer()),
            Map.entry(StorageNames.VOLUMES, new VolumeExplainer()),
            Map.entry(StorageNames.CLASSES, new ClassExplainer()),
            Map.entry(StorageNames.OPERATIONS, new OperationExplainer()),
            Map.entry(StorageNames.ATTACHMENTS, new AttachmentExplainer()),
            Map.entry("namespaces", new NamespaceExplainer()),
            Map.entry("pods", new PodExplainer()),
            Map.entry("nodes", new NodeExplainer()),
            Map.entry(StorageNames.DESIRED_VOLUMES, new DesiredVolumeExplainer()),
            Map.entry(StorageNames.ACTUAL_VOLUMES, new ActualVolumeExplainer()));

    private static final ResourceExplainer GENERIC = new GenericExplainer();

    private final PastEvents past;

    public Explainer(PastEvents past) {
        this.past = past;
    }

    /**
     * Explains an object. If it does not exist, explains its deletion; empty if it never existed or the log does not
     * retain its deletion.
     *
     * @param now the time of the World: the current time for the live one, the time of its revision for a past one
     * @param mayRead whether the reader may read an object; must be true for the explained one
     */
    public Optional<Explanation> explain(World world, ObjectKey key, Instant now, Predicate<ObjectKey> mayRead) {
        ExplainContext context = new ExplainContext(world, key, now, past, mayRead);
        Optional<StoredObject> found = world.get(key);
        if (found.isEmpty()) {
            return context.deletionOf(key)
                    .map(deletion -> Explanation.of(
                            ObjectRef.of(deletion.last()),
                            world.revision(),
                            now,
                            "Deleted",
                            visible(deletion.finding(), mayRead)));
        }
        Explained explained = explained(found.get(), context);
        return Optional.of(Explanation.of(
                ObjectRef.of(found.get()),
                world.revision(),
                now,
                explained.state(),
                visible(explained.root(), mayRead)));
    }

    static Explained explained(StoredObject object, ExplainContext context) {
        return BY_RESOURCE.getOrDefault(object.key().resource(), GENERIC).explain(object, context);
    }

    /** Replaces the findings about hidden objects. */
    private static Finding visible(Finding finding, Predicate<ObjectKey> mayRead) {
        Optional<ObjectRef> hidden = finding.object().filter(each -> !mayRead.test(each.key()));
        if (hidden.isPresent()) {
            return hidden(finding, hidden.get());
        }
        List<Finding> causes = finding.because().stream()
                .map(each -> visible(each, mayRead))
                .distinct()
                .toList();
        return finding.withCauses(causes);
    }

    private static Finding hidden(Finding finding, ObjectRef object) {
        String text = "Depends on a " + object.kind() + " that you may not read.";
        return new Finding(
                text,
                finding.severity(),
                "",
                Optional.empty(),
                0,
                Optional.empty(),
                0,
                Optional.empty(),
                List.of(),
                List.of());
    }
}
