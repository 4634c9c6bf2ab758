package dev.mooring.node.discover;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.Notices;
import dev.mooring.control.Removal;
import dev.mooring.model.Cause;
import dev.mooring.model.Draft;
import dev.mooring.model.Notice;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a survey means for the World: what is new becomes a volume, what is gone ceases to be one.
 *
 * <p>A volume that was ever claimed is never removed, only complained about: its disk may be unplugged for an hour, and when it comes
 * back, with somebody's data on it, it must not look like a new one. No place is offered that another volume of this node already has.
 *
 * <p>Pure: the same survey and World give the same plan, and once that has happened an empty one.
 *
 * @param proposals each stands for itself
 * @param problems what was found and not offered, in sentences for the log
 */
public record DiscoveryPlan(List<Proposal> proposals, List<String> problems) {
    private static final String GONE = "LocalVolumeGone";
    private static final String REMOVED = "LocalVolumeRemoved";

    public DiscoveryPlan {
        proposals = List.copyOf(proposals);
        problems = List.copyOf(problems);
    }

    public static DiscoveryPlan of(Survey survey, World world, String node, Instant now) {
        return new Planning(world, node, now).plan(survey);
    }

    /** Collects a plan. Looks at all volumes once, which is fine for something that happens when disks come and go. */
    private static final class Planning {
        private final World world;
        private final String node;
        private final Instant now;
        private final Map<Path, Volume> ours = new HashMap<>();
        private final Map<Path, Volume> others = new HashMap<>();
        private final List<Proposal> proposals = new ArrayList<>();
        private final List<String> problems = new ArrayList<>();

        Planning(World world, String node, Instant now) {
            this.world = world;
            this.node = node;
            this.now = now;
        }

        DiscoveryPlan plan(Survey survey) {
            sortVolumes();
            Map<Path, Found> found = new HashMap<>();
            for (Found each : survey.found()) {
                if (found.putIfAbsent(each.path(), each) == null && !ours.containsKey(each.path())) {
                    offer(each);
                }
            }
            ours.forEach((path, volume) -> {
                Optional<Found> there = Optional.ofNullable(found.get(path));
                if (there.isEmpty() ? survey.covers(path) : !isSame(volume, there.get())) {
                    withdraw(volume, whatIsWrong(path, there));
                }
            });
            return new DiscoveryPlan(proposals, problems);
        }

        private void sortVolumes() {
            JsonNode labels = LocalVolume.labels(world, node);
            for (StoredObject stored : world.list(Scope.resource(StorageNames.VOLUMES))) {
                Volume volume = Volume.of(stored);
                Optional<Path> path = path(volume);
                if (path.isEmpty()) {
                    continue;
                }
                if (volume.annotation(LocalVolume.DISCOVERED_BY).equals(Optional.of(node))) {
                    ours.put(path.get(), volume);
                } else if (!volume.hasAnnotation(LocalVolume.DISCOVERED_BY)
                        && volume.nodeAffinity().matches(labels, node)) {
                    others.put(path.get(), volume);
                }
            }
        }

        private static Optional<Path> path(Volume volume) {
            String source = volume.hasSource("local") ? "local" : "hostPath";
            String path = volume.spec().path(source).path("path").asText("");
            try {
                return path.isEmpty()
                        ? Optional.empty()
                        : Optional.of(Path.of(path).normalize());
            } catch (InvalidPathException e) {
                return Optional.empty();
            }
        }

        private void offer(Found found) {
            if (others.containsKey(found.path())) {
                problems.add("Expected " + found.path() + " to be in no volume yet, but it is in "
                        + others.get(found.path()).name() + "; it is not offered a second time.");
                return;
            }
            String name = LocalVolume.name(node, found.path());
            if (world.get(Volume.key(name)).isPresent()) {
                problems.add("Expected the name " + name + " to be free for " + found.path()
                        + ", but there is another volume of that name; it is not offered.");
                return;
            }
            Draft draft = Draft.of(Volume.key(name), LocalVolume.of(found, world, node, now));
            proposals.add(Proposal.by(actor(), "VolumeDiscovered").create(draft).build());
        }

        /** Whether what is there is what the volume was made for: the disk, and not the directory it used to be mounted on. */
        private static boolean isSame(Volume volume, Found found) {
            if (volume.mode() == VolumeMode.BLOCK || found.form() == Found.Form.DEVICE) {
                return (volume.mode() == VolumeMode.BLOCK) == (found.form() == Found.Form.DEVICE);
            }
            boolean plain = volume.hasAnnotation(LocalVolume.SIZE_NOT_ENFORCED);
            return plain == (found.form() == Found.Form.PLAIN);
        }

        private String whatIsWrong(Path path, Optional<Found> there) {
            String what = there.map(found -> switch (found.form()) {
                        case PLAIN -> "nothing is mounted on " + path + " any more";
                        case MOUNTED -> "something else is mounted on " + path;
                        case DEVICE -> path + " is a device now";
                    })
                    .orElse(path + " is gone");
            return what + " on node " + node;
        }

        private void withdraw(Volume volume, String what) {
            if (volume.isBeingDeleted()) {
                return;
            }
            if (isOrWasClaimed(volume)) {
                String state = volume.claimRef()
                        .map(claim -> "the volume belongs to claim " + claim)
                        .orElse("the volume is " + volume.phase());
                String message = what + "; " + state + ", so nothing is removed. Bring it back, or delete the volume.";
                tell(Notice.warning(Notice.Involved.of(volume.tree()), GONE, message, actor()), volume.cause());
                return;
            }
            new Removal(actor(), volume.cause())
                    .delete(volume.stored(), volume.copy(), now)
                    .ifPresent(proposals::add);
            String message = what + "; nobody had claimed the volume, so it is removed";
            tell(Notice.normal(Notice.Involved.of(volume.tree()), REMOVED, message, actor()), volume.cause());
        }

        private static boolean isOrWasClaimed(Volume volume) {
            return volume.claimRef().filter(ClaimRef::hasUid).isPresent()
                    || volume.phase().equals("Bound")
                    || volume.phase().equals("Released")
                    || volume.phase().equals("Failed");
        }

        private void tell(Notice notice, Cause cause) {
            Notices.tellOnce(world, notice, cause, now).ifPresent(proposals::add);
        }

        private String actor() {
            return "node/" + node;
        }
    }
}
