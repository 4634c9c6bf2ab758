package dev.mooring.node.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Removal;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.PodOf;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The last step of a Pod that is deleted: it goes when none of its volumes is wanted or mounted any more. Keeps an index of mounts ({@link
 * PodMounts}), so a Pod costs what it has, however many volumes others have. For one thread.
 */
final class Departure {
    private final String node;
    private final PodMounts mounts = new PodMounts();

    /** @param node its name */
    Departure(String node) {
        this.node = node;
    }

    /** Is told of changes of Pods, DesiredVolumes and ActualVolumes, and says which Pods they concern. */
    void follow(Change change, Optional<StoredObject> before, World world, Consumer<ObjectKey> concerned) {
        switch (change.key().resource()) {
            case "pods" -> {
                if (change.isRemoval()) {
                    mounts.forget(StoredJson.uid(change.object()));
                }
            }
            case StorageNames.DESIRED_VOLUMES -> followDesired(change, world, concerned);
            case StorageNames.ACTUAL_VOLUMES -> followActual(change, before, concerned);
            default -> {
                // no concern of a Pod that goes
            }
        }
    }

    private void followDesired(Change change, World world, Consumer<ObjectKey> concerned) {
        if (!StoredJson.mentions(change.object(), node)) {
            return;
        }
        DesiredVolume desired = DesiredVolume.of(change.object());
        podKey(desired.pod()).ifPresent(pod -> {
            mounts.desired(desired, change, world);
            concerned.accept(pod);
        });
    }

    private void followActual(Change change, Optional<StoredObject> before, Consumer<ObjectKey> concerned) {
        if (!StoredJson.mentions(change.object(), node)) {
            return;
        }
        mounts.actual(change, before);
        Map<PodOf, JsonNode> was = before.map(Departure::mounts).orElse(Map.of());
        Map<PodOf, JsonNode> is = change.isRemoval() ? Map.of() : mounts(change.object());
        // Of what many Pods have, most have nothing to do with one that gets or leaves it.
        boolean sameForAll =
                before.isPresent() && !change.isRemoval() && whole(before.get()).equals(whole(change.object()));
        Set<PodOf> pods = new LinkedHashSet<>(was.keySet());
        pods.addAll(is.keySet());
        for (PodOf pod : pods) {
            if (!sameForAll || !Objects.equals(was.get(pod), is.get(pod))) {
                podKey(pod).ifPresent(concerned);
            }
        }
    }

    private static Map<PodOf, JsonNode> mounts(StoredObject actual) {
        Map<PodOf, JsonNode> mounts = new LinkedHashMap<>();
        ActualVolume.of(actual).mounts().forEach(each -> mounts.put(each.pod(), each.json()));
        return mounts;
    }

    /** What it says of the volume itself. */
    private static List<JsonNode> whole(StoredObject actual) {
        ActualVolume volume = ActualVolume.of(actual);
        ObjectNode status = volume.status() instanceof ObjectNode found ? found.deepCopy() : volume.copy();
        status.remove("mounts");
        return List.of(volume.spec(), status);
    }

    /** Nothing for one that cannot be. */
    private static Optional<ObjectKey> podKey(PodOf pod) {
        try {
            return Optional.of(Pod.key(pod.namespace(), pod.name()));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** What lets a Pod go that is being deleted and of which nothing runs; nothing if something of it is still there. */
    Optional<Proposal> of(World world, Pod pod, String actor) {
        if (isWanted(world, pod) || mounts.has(world, pod)) {
            return Optional.empty();
        }
        return new Removal(actor, pod.cause()).end(pod.stored(), pod.copy());
    }

    /** Whether a volume of it is to be mounted, so that somebody may just be beginning with it. */
    private static boolean isWanted(World world, Pod pod) {
        for (JsonNode volume : pod.spec().path("volumes")) {
            if (world.get(DesiredVolume.key(pod, volume.path("name").asText("")))
                    .isPresent()) {
                return true;
            }
        }
        return false;
    }

    static List<String> resources() {
        return List.of("pods", StorageNames.ACTUAL_VOLUMES, StorageNames.DESIRED_VOLUMES);
    }
}
