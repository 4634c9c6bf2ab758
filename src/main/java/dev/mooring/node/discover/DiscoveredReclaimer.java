package dev.mooring.node.discover;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.Notices;
import dev.mooring.control.Phases;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.Notice;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
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
 * Takes back what this node had discovered and a claim has left, if it may be wiped: has it scrubbed once nobody uses it, and offers it again.
 * With the policy Retain it waits for a person.
 *
 * <p>Keyed by volumes, and by the operations it made, which it clears away should their volume be gone. Has no index: that nobody uses
 * a volume is read from the World when it is released, which is rare.
 */
public final class DiscoveredReclaimer implements Controller {
    /** Not as the Reclaimer names its own, which ends what it did not order. */
    private static final String OPERATION = "wipe-";

    private final String node;
    private final String name;

    /** @param node its name */
    public DiscoveredReclaimer(String node) {
        this.node = node;
        this.name = "node/" + node;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String part() {
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
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        String resource = change.key().resource();
        if (resource.equals(StorageNames.VOLUMES)) {
            if (StoredJson.mentions(change.object(), LocalVolume.DISCOVERED_BY)) {
                wakes.now(change.key());
            }
            // Its operation, if it has one, is to go with it.
            if (change.isRemoval()) {
                wakes.now(VolumeOperation.key(OPERATION + StoredJson.uid(change.object())));
            }
            return;
        }
        if (resource.equals(StorageNames.OPERATIONS)) {
            if (!change.key().name().startsWith(OPERATION)) {
                return;
            }
            wakes.now(change.key());
        }
        InUse.volumeOf(change.object())
                .map(Volume::key)
                .filter(key -> world.get(key).isPresent())
                .ifPresent(wakes::now);
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        if (key.resource().equals(StorageNames.OPERATIONS)) {
            return clearAway(world, key);
        }
        return world.get(key)
                .filter(stored -> StoredJson.mentions(stored, LocalVolume.DISCOVERED_BY))
                .map(Volume::of)
                .filter(this::isMine)
                .map(volume -> decide(world, volume, now))
                .orElseGet(Decision::nothing);
    }

    private boolean isMine(Volume volume) {
        return volume.annotation(LocalVolume.DISCOVERED_BY).equals(Optional.of(node));
    }

    private boolean isMine(VolumeOperation operation) {
        return operation.annotation(LocalVolume.DISCOVERED_BY).equals(Optional.of(node));
    }

    /** An operation whose volume is gone; what is Running is left until it has ended. */
    private Decision clearAway(World world, ObjectKey key) {
        Optional<VolumeOperation> operation =
                world.get(key).map(VolumeOperation::of).filter(this::isMine).filter(DiscoveredReclaimer::isAtRest);
        if (operation.isEmpty() || isThere(world, operation.get())) {
            return Decision.nothing();
        }
        return Decision.of(dropped(operation.get()));
    }

    private static boolean isThere(World world, VolumeOperation operation) {
        return world.get(Volume.key(operation.volume()))
                .filter(volume -> StoredJson.uid(volume).equals(operation.volumeUid()))
                .isPresent();
    }

    private static boolean isAtRest(VolumeOperation operation) {
        return !operation.state().equals(VolumeOperation.RUNNING);
    }

    private Decision decide(World world, Volume volume, Instant now) {
        Optional<VolumeOperation> operation = world.get(VolumeOperation.key(OPERATION + volume.uid()))
                .map(VolumeOperation::of)
                .filter(this::isMine);
        if (!isToBeWiped(world, volume)) {
            return Decision.of(operation.filter(DiscoveredReclaimer::isAtRest).map(this::dropped));
        }
        if (operation.isEmpty()) {
            return InUse.isUsed(world, volume.name()) ? Decision.nothing() : Decision.of(scrub(world, volume, now));
        }
        if (operation.get().hasSucceeded()) {
            return offer(world, volume, operation.get(), now);
        }
        if (operation.get().hasFailed()) {
            return Decision.of(warning(world, volume, operation.get(), now));
        }
        return Decision.nothing();
    }

    /** Given back by a claim that is really gone, and nobody has decided otherwise since. */
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
        metadata.putObject("annotations").put(LocalVolume.DISCOVERED_BY, node);
        ObjectNode spec = operation.putObject("spec");
        spec.put("operation", VolumeOperation.Work.SCRUB.toString())
                .put("node", node)
                .put("provisioner", StorageNames.LOCAL_PROVISIONER)
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
        spec.putObject("source").set("local", volume.spec().path("local"));
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

    private Decision offer(World world, Volume volume, VolumeOperation scrubbed, Instant now) {
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
        Notice notice = Notice.normal(Notice.Involved.of(volume.tree()), "VolumeRecycled", "Volume recycled", name);
        Notices.tell(world, notice, scrubbed.cause(), now).ifPresent(proposals::add);
        return Decision.of(proposals);
    }

    private Optional<Proposal> warning(World world, Volume volume, VolumeOperation failed, Instant now) {
        String message = "Volume could not be wiped and is not offered: " + failed.error();
        Notice notice = Notice.warning(Notice.Involved.of(volume.tree()), "VolumeFailedRecycle", message, name);
        return Notices.tellOnce(world, notice, failed.cause(), now);
    }

    private Proposal dropped(VolumeOperation operation) {
        return Proposal.by(name, "VolumeScrubDropped")
                .because(operation.cause())
                .remove(operation.stored())
                .build();
    }
}
