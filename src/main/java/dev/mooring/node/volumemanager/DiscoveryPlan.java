package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.EventProposals;
import dev.mooring.control.ObjectDeleter;
import dev.mooring.model.Cause;
import dev.mooring.model.Draft;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.SourceTypes;
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
 * The changes that follow from a scan: creates volumes for new entries and removes volumes of missing ones.
 *
 * <p>A volume that was ever claimed is never removed, only reported: its disk may be unplugged for a while, and must
 * not become a new volume when it returns with user data. A path that another volume of this node has is never offered.
 *
 * <p>Pure: equal scans and Worlds give equal plans; after the plan is applied, the next one is empty.
 *
 * @param proposals independent of each other
 * @param problems entries that were not offered, as log messages
 */
public record DiscoveryPlan(List<Proposal> proposals, List<String> problems) {
    public DiscoveryPlan {
        proposals = List.copyOf(proposals);
        problems = List.copyOf(problems);
    }

    public static DiscoveryPlan of(ScanResult scan, World world, String node, Instant now) {
        return new PlanBuilder(world, node, now).plan(scan);
    }

    /** Builds a plan. Iterates over all volumes once, which is cheap enough for the rate of disk changes. */
    private static final class PlanBuilder {
        private final World world;
        private final String node;
        private final Instant now;
        private final Map<Path, Volume> ours = new HashMap<>();
        private final Map<Path, Volume> others = new HashMap<>();
        private final List<Proposal> proposals = new ArrayList<>();
        private final List<String> problems = new ArrayList<>();

        PlanBuilder(World world, String node, Instant now) {
            this.world = world;
            this.node = node;
            this.now = now;
        }

        DiscoveryPlan plan(ScanResult scan) {
            sortVolumes();
            Map<Path, DiscoveredEntry> found = new HashMap<>();
            for (DiscoveredEntry each : scan.found()) {
                if (found.putIfAbsent(each.path(), each) == null && !ours.containsKey(each.path())) {
                    addVolume(each);
                }
            }
            ours.forEach((path, volume) -> {
                Optional<DiscoveredEntry> entry = Optional.ofNullable(found.get(path));
                if (entry.isEmpty() ? scan.covers(path) : !isSame(volume, entry.get())) {
                    withdrawVolume(volume, problemWith(path, entry));
                }
            });
            return new DiscoveryPlan(proposals, problems);
        }

        private void sortVolumes() {
            JsonNode labels = LocalPersistentVolume.labels(world, node);
            for (StoredObject stored : world.list(Scope.resource(StorageNames.VOLUMES))) {
                Volume volume = Volume.of(stored);
                Optional<Path> path = path(volume);
                if (path.isEmpty()) {
                    continue;
                }
                if (volume.annotation(LocalPersistentVolume.DISCOVERED_BY).equals(Optional.of(node))) {
                    ours.put(path.get(), volume);
                } else if (!volume.hasAnnotation(LocalPersistentVolume.DISCOVERED_BY)
                        && volume.nodeAffinity().matches(labels, node)) {
                    others.put(path.get(), volume);
                }
            }
        }

        private static Optional<Path> path(Volume volume) {
            String path = SourceTypes.directory(volume.spec());
            try {
                return path.isEmpty()
                        ? Optional.empty()
                        : Optional.of(Path.of(path).normalize());
            } catch (InvalidPathException e) {
                return Optional.empty();
            }
        }

        private void addVolume(DiscoveredEntry found) {
            if (others.containsKey(found.path())) {
                problems.add(found.path() + " is already used by volume "
                        + others.get(found.path()).name() + "; it is not offered a second time.");
                return;
            }
            String name = LocalPersistentVolume.name(node, found.path());
            if (world.get(Volume.key(name)).isPresent()) {
                problems.add("Cannot offer " + found.path() + " as volume " + name
                        + ": another volume already has that name.");
                return;
            }
            Draft draft = Draft.of(Volume.key(name), LocalPersistentVolume.of(found, world, node, now));
            proposals.add(Proposal.by(actor(), "VolumeDiscovered").create(draft).build());
        }

        /**
         * Returns whether the entry is the one the volume was created for: the disk, and not the directory below its
         * mount point.
         */
        private static boolean isSame(Volume volume, DiscoveredEntry found) {
            if (volume.mode() == VolumeMode.BLOCK || found.type() == DiscoveredEntry.EntryType.DEVICE) {
                return (volume.mode() == VolumeMode.BLOCK) == (found.type() == DiscoveredEntry.EntryType.DEVICE);
            }
            boolean plain = volume.hasAnnotation(LocalPersistentVolume.SIZE_NOT_ENFORCED);
            return plain == (found.type() == DiscoveredEntry.EntryType.PLAIN);
        }

        private String problemWith(Path path, Optional<DiscoveredEntry> entry) {
            String what = entry.map(found -> switch (found.type()) {
                        case PLAIN -> "nothing is mounted on " + path + " any more";
                        case MOUNTED -> "something else is mounted on " + path;
                        case DEVICE -> path + " is a device now";
                    })
                    .orElse(path + " is gone");
            return what + " on node " + node;
        }

        private void withdrawVolume(Volume volume, String what) {
            if (volume.isBeingDeleted()) {
                return;
            }
            if (isOrWasClaimed(volume)) {
                String state = volume.claimRef()
                        .map(claim -> "the volume belongs to claim " + claim)
                        .orElse("the volume is " + volume.phase());
                String message = what + "; " + state + ", so it is kept. Restore it, or delete the volume.";
                recordEvent(
                        KubeEvent.warning(
                                KubeEvent.InvolvedObject.of(volume.tree()),
                                EventReasons.LOCAL_VOLUME_GONE,
                                message,
                                actor()),
                        volume.cause());
                return;
            }
            new ObjectDeleter(actor(), volume.cause())
                    .delete(volume.stored(), volume.copy(), now)
                    .ifPresent(proposals::add);
            String message = what + "; the volume was not claimed, so it is removed";
            recordEvent(
                    KubeEvent.normal(
                            KubeEvent.InvolvedObject.of(volume.tree()),
                            EventReasons.LOCAL_VOLUME_REMOVED,
                            message,
                            actor()),
                    volume.cause());
        }

        private static boolean isOrWasClaimed(Volume volume) {
            return volume.claimRef().filter(ClaimRef::hasUid).isPresent()
                    || volume.phase().equals("Bound")
                    || volume.phase().equals("Released")
                    || volume.phase().equals("Failed");
        }

        private void recordEvent(KubeEvent event, Cause cause) {
            EventProposals.recordEventOnce(world, event, cause, now).ifPresent(proposals::add);
        }

        private String actor() {
            return "node/" + node;
        }
    }
}
