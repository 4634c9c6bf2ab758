package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.EventProposals;
import dev.mooring.control.Phases;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.LocalSource;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Reclaims released volumes that this node has discovered: wipes them once they are unused and makes them available
 * again. Volumes with policy Retain are left to an administrator.
 *
 * <p>Keyed by volumes, and by its own operations, which it removes when their volume is gone. Has no index: whether a
 * volume is in use is read from the World on release, which is rare.
 */
public final class DiscoveredReclaimer implements Controller {
    /** Differs from the Reclaimer's prefix, because the Reclaimer cancels operations that it did not create. */
    private static final String OPERATION = "wipe-";

    private final String node;
    private final String name;

    /**
     * Creates the controller.
     *
     * @param node name of the node
     */
    public DiscoveredReclaimer(String node) {
        this.node = node;
        this.name = "node/" + node;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String metricName() {
        return "discovered-volumes";
    }

    @Override
    public List<Scope> scopes() {
        return List.of(
                Scope.resource(StorageNames.VOLUMES),
                Scope.resource(StorageNames.OPERATIONS),
                Scope.resource(StorageNames.ACTUAL_VOLUMES),
                Scope.resource(StorageNames.ATTACHMENTS));
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        String resource = change.key().resource();
        if (resource.equals(StorageNames.VOLUMES)) {
            if (change.object().containsText(LocalPersistentVolume.DISCOVERED_BY)) {
                queue.enqueue(change.key());
            }
            // The operation of a removed volume must be removed, too.
            if (change.isRemoval()) {
                queue.enqueue(VolumeOperation.key(OPERATION + StoredJson.uid(change.object())));
            }
            return;
        }
        if (resource.equals(StorageNames.OPERATIONS)) {
            if (!change.key().name().startsWith(OPERATION)) {
                return;
            }
            queue.enqueue(change.key());
        }
        VolumeUseCheck.volumeOf(change.object())
                .map(Volume::key)
                .filter(key -> world.get(key).isPresent())
                .ifPresent(queue::enqueue);
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        if (key.resource().equals(StorageNames.OPERATIONS)) {
            return removeOrphanedOperation(world, key);
        }
        return world.get(key)
                .filter(stored -> stored.containsText(LocalPersistentVolume.DISCOVERED_BY))
                .map(Volume::of)
                .filter(this::isOwned)
                .map(volume -> decide(world, volume, now))
                .orElseGet(Decision::none);
    }

    private boolean isOwned(Volume volume) {
        return volume.annotation(LocalPersistentVolume.DISCOVERED_BY).equals(Optional.of(node));
    }

    private boolean isOwned(VolumeOperation operation) {
        return operation.annotation(LocalPersistentVolume.DISCOVERED_BY).equals(Optional.of(node));
    }

    /** Removes an operation whose volume is gone, unless it is Running. */
    private Decision removeOrphanedOperation(World world, ObjectKey key) {
        Optional<VolumeOperation> operation =
                world.get(key).map(VolumeOperation::of).filter(this::isOwned).filter(DiscoveredReclaimer::isIdle);
        if (operation.isEmpty() || volumeExists(world, operation.get())) {
            return Decision.none();
        }
        return Decision.of(removeOperation(operation.get()));
    }

    private static boolean volumeExists(World world, VolumeOperation operation) {
        return world.get(Volume.key(operation.volume()))
                .filter(volume -> StoredJson.uid(volume).equals(operation.volumeUid()))
                .isPresent();
    }

    private static boolean isIdle(VolumeOperation operation) {
        return !operation.state().equals(VolumeOperation.RUNNING);
    }

    private Decision decide(World world, Volume volume, Instant now) {
        Optional<VolumeOperation> operation = world.get(VolumeOperation.key(OPERATION + volume.uid()))
                .map(VolumeOperation::of)
                .filter(this::isOwned);
        if (!isToBeWiped(world, volume)) {
            return Decision.of(operation.filter(DiscoveredReclaimer::isIdle).map(this::removeOperation));
        }
        if (operation.isEmpty()) {
            return VolumeUseCheck.isUsed(world, volume.name())
                    ? Decision.none()
                    : Decision.of(scrub(world, volume, now));
        }
        if (operation.get().hasSucceeded()) {
            return makeAvailable(world, volume, operation.get(), now);
        }
        if (operation.get().hasFailed()) {
            return Decision.of(warning(world, volume, operation.get(), now));
        }
        return Decision.none();
    }

    /** Returns whether the claim is really gone and the volume has not been changed since. */
    private static boolean isToBeWiped(World world, Volume volume) {
        boolean released = volume.phase().equals("Released") || volume.phase().equals("Failed");
        Optional<ClaimRef> claim = volume.claimRef().filter(ClaimRef::hasUid);
        if (!released || claim.isEmpty() || volume.isBeingDeleted()) {
            return false;
        }
        boolean claimed = world.get(claim.get().key())
                .map(Claim::of)
                .filter(claim.get()::admits)
                .isPresent();
        return !claimed && volume.reclaimPolicy().equals("Delete") && volume.mode() == VolumeMode.FILESYSTEM;
    }

    private Proposal scrub(World world, Volume volume, Instant now) {
        ObjectKey key = VolumeOperation.key(OPERATION + volume.uid());
        ObjectNode operation = JsonNodeFactory.instance.objectNode();
        operation.put("kind", "VolumeOperation").put("apiVersion", "mooring.dev/v1");
        String unique = key + "@" + world.revision();
        ObjectNode metadata = operation.putObject("metadata");
        metadata.put("name", key.name())
                .put(
                        "uid",
                        UUID.nameUUIDFromBytes(unique.getBytes(StandardCharsets.UTF_8))
                                .toString())
                .put("creationTimestamp", now.truncatedTo(ChronoUnit.SECONDS).toString());
        metadata.putObject("annotations").put(LocalPersistentVolume.DISCOVERED_BY, node);
        ObjectNode spec = operation.putObject("spec");
        spec.put("operation", VolumeOperation.OperationType.SCRUB.toString())
                .put("node", node)
                .put("provisioner", LocalSource.PROVISIONER)
                .put("persistentVolume", volume.name())
                .put("persistentVolumeUID", volume.uid());
        volume.claimRef()
                .ifPresent(claim -> spec.putObject("claim")
                        .put("namespace", claim.namespace())
                        .put("name", claim.name())
                        .put("uid", claim.uid()));
        if (!volume.className().isEmpty()) {
            spec.put("storageClassName", volume.className());
        }
        spec.set("source", SourceTypes.source(volume.spec()));
        spec.put("volumeMode", volume.mode().toString());
        JsonNode capacity = volume.spec().path("capacity").path("storage");
        if (!capacity.isMissingNode()) {
            spec.set("capacity", capacity);
        }
        return Proposal.by(name, "VolumeScrubRequested")
                .because(volume.cause())
                .create(Draft.of(key, operation))
                .expect(volume.stored())
                .build();
    }

    private Decision makeAvailable(World world, Volume volume, VolumeOperation scrubbed, Instant now) {
        ObjectNode object = volume.copy();
        ((ObjectNode) object.get("spec")).remove("claimRef");
        if (object.path("metadata").path("annotations") instanceof ObjectNode annotations) {
            annotations.remove(StorageNames.BOUND_BY_CONTROLLER);
        }
        Phases.set(object, "Available", "", "", now);
        List<Proposal> proposals = new ArrayList<>();
        proposals.add(Proposal.by(name, "VolumeOfferedAgain")
                .because(scrubbed.cause())
                .replace(volume.stored(), Draft.of(volume.key(), object))
                .remove(scrubbed.stored())
                .build());
        KubeEvent event = KubeEvent.normal(
                KubeEvent.InvolvedObject.of(volume.tree()), EventReasons.VOLUME_RECYCLED, "Volume recycled", name);
        EventProposals.recordEvent(world, event, scrubbed.cause(), now).ifPresent(proposals::add);
        return Decision.of(proposals);
    }

    private Optional<Proposal> warning(World world, Volume volume, VolumeOperation failed, Instant now) {
        String message = "Volume could not be wiped and is not offered: " + failed.error();
        KubeEvent event = KubeEvent.warning(
                KubeEvent.InvolvedObject.of(volume.tree()), EventReasons.VOLUME_FAILED_RECYCLE, message, name);
        return EventProposals.recordEventOnce(world, event, failed.cause(), now);
    }

    private Proposal removeOperation(VolumeOperation operation) {
        return Proposal.by(name, "VolumeScrubDropped")
                .because(operation.cause())
                .remove(operation.stored())
                .build();
    }
}
