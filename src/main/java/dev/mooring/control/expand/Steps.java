package dev.mooring.control.expand;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Decision;
import dev.mooring.control.Notices;
import dev.mooring.model.Draft;
import dev.mooring.model.Notice;
import dev.mooring.model.Notice.Involved;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.View;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The steps of which growing is made: each one event that changes the claim, and the volume and the operation with it, and what is told about
 * it. Pure; any thread.
 *
 * @param actor who does it
 */
record Steps(String actor) {
    private static final String FAILED = "VolumeResizeFailed";
    private static final String SUCCEEDED = "VolumeResizeSuccessful";

    /** A node may come back, and its coming is not followed. */
    private static final Duration NODE_WAIT = Duration.ofSeconds(30);

    /** The node that has the data is told to make it larger. */
    Decision start(World world, Growth growth, Instant now) {
        Claim claim = growth.claim();
        Volume volume = growth.volume();
        Optional<String> node = GrowOperations.nodeOf(world, volume);
        if (node.isEmpty()) {
            String error = "no node is known that has the volume: none fits its spec.nodeAffinity";
            return told(world, growth, Notice.warning(involved(claim), FAILED, sentence(growth, error), actor), now)
                    .lookAgainAfter(NODE_WAIT);
        }
        ObjectNode next = claim.copy();
        ResizeStatus.started(next, growth.has(), growth.target(), node.get(), now);
        return Decision.of(event("VolumeExpansionStarted", claim)
                .replace(claim.stored(), Draft.of(claim.key(), next))
                .create(GrowOperations.create(world, growth, node.get(), now))
                .expect(volume.stored())
                .build());
    }

    /** The claim asks for another size than the one under way, which nobody has begun. */
    Decision change(Growth growth, VolumeOperation operation, Instant now) {
        Claim claim = growth.claim();
        ObjectNode next = claim.copy();
        ResizeStatus.started(next, growth.has(), growth.target(), operation.node(), now);
        return Decision.of(event("VolumeExpansionChanged", claim)
                .replace(claim.stored(), Draft.of(claim.key(), next))
                .replace(operation.stored(), GrowOperations.resized(operation, growth.target()))
                .build());
    }

    /** The claim is content with what it has. */
    Decision takeBack(Growth growth) {
        Claim claim = growth.claim();
        ObjectNode next = claim.copy();
        ResizeStatus.clear(next);
        Proposal.Builder event = event("VolumeExpansionTakenBack", claim);
        boolean changed = replace(event, claim, next);
        growth.operation().ifPresent(operation -> event.remove(operation.stored()));
        return changed || growth.operation().isPresent() ? Decision.of(event.build()) : Decision.nothing();
    }

    /** The node could not do it. It will try again, unless that cannot help. */
    Decision fail(World world, Growth growth, VolumeOperation operation, Instant now) {
        Claim claim = growth.claim();
        ObjectNode next = claim.copy();
        String reason = operation.errorReason().isEmpty() ? FAILED : operation.errorReason();
        Proposal.Builder event = event("VolumeExpansionFailed", claim);
        boolean hopeless = GrowOperations.isHopeless(operation);
        if (hopeless) {
            ResizeStatus.infeasible(next, growth.target(), reason, operation.error(), now);
            event.remove(operation.stored());
        } else {
            ResizeStatus.failed(next, reason, operation.error(), now);
        }
        List<Proposal> proposals = new ArrayList<>();
        if (replace(event, claim, next) || hopeless) {
            proposals.add(event.build());
        }
        String sentence = sentence(growth, operation.error())
                + (hopeless
                        ? "; not tried again until the claim asks for another size, which may be any above "
                                + growth.has()
                        : "");
        tell(world, growth, Notice.warning(involved(claim), FAILED, sentence, actor), now, proposals);
        return Decision.of(proposals);
    }

    /** The node has done it. */
    Decision finish(World world, Growth growth, VolumeOperation operation, Instant now) {
        Quantity size = growth.largest(GrowOperations.reached(operation));
        if (operation.isFileSystemResizePending()) {
            return leaveToNode(world, growth, operation, size, now);
        }
        Proposal event = grown(growth, size).remove(operation.stored()).build();
        return succeeded(world, growth, event, "", now);
    }

    private Decision leaveToNode(World world, Growth growth, VolumeOperation operation, Quantity size, Instant now) {
        Claim claim = growth.claim();
        ObjectNode next = claim.copy();
        ResizeStatus.leftToNode(next, size, now);
        ObjectNode volume = growth.volume().copy();
        volume.withObject("/spec/capacity").put("storage", size.canonical());
        if (!growth.volume().hasAnnotation(StorageNames.PRE_RESIZE)) {
            volume.withObject("/metadata/annotations")
                    .put(StorageNames.PRE_RESIZE, growth.has().canonical());
        }
        Proposal.Builder event = event("VolumeExpansionLeftToNode", claim);
        replace(event, claim, next);
        replace(event, growth.volume(), volume);
        event.remove(operation.stored());
        List<Proposal> proposals = new ArrayList<>(List.of(event.build()));
        Notice notice = Notice.normal(
                involved(claim), "FileSystemResizeRequired", "Require file system resize of volume on node", actor);
        tell(world, growth, notice, now, proposals);
        return Decision.of(proposals);
    }

    /** The node that has it mounted has grown its file system. */
    Decision finishOnNode(World world, Growth growth, Instant now) {
        Claim claim = growth.claim();
        Notice notice = Notice.normal(
                involved(claim),
                "FileSystemResizeSuccessful",
                "MountVolume.NodeExpandVolume succeeded for volume \""
                        + growth.volume().name() + '"',
                actor);
        List<Proposal> proposals = new ArrayList<>(
                List.of(grown(growth, growth.largest(claim.request())).build()));
        Notices.tell(world, notice, claim.cause(), now).ifPresent(proposals::add);
        return Decision.of(proposals);
    }

    /** Nothing enforces the size of such a volume: it has the new one as soon as somebody says so. */
    Decision writeNumber(World world, Growth growth, Instant now) {
        if (growth.claim().isBeingDeleted()) {
            return Decision.nothing();
        }
        String honest = ". Nothing keeps a " + growth.source().orElse("") + " volume below its size: " + growth.target()
                + " is a number only, not a limit and not a promise";
        return succeeded(world, growth, grown(growth, growth.target()).build(), honest, now);
    }

    /** Nobody here knows how to make it larger. */
    Decision leaveToOthers(World world, Growth growth, Instant now) {
        Notice notice = Notice.normal(
                involved(growth.claim()),
                "ExternalExpanding",
                "waiting for an external controller to expand this PVC",
                actor);
        return told(world, growth, notice, now);
    }

    /** Volume and claim have the size. */
    private Proposal.Builder grown(Growth growth, Quantity size) {
        ObjectNode claim = growth.claim().copy();
        ResizeStatus.finished(claim, size);
        ObjectNode volume = growth.volume().copy();
        volume.withObject("/spec/capacity").put("storage", size.canonical());
        if (volume.path("metadata").path("annotations") instanceof ObjectNode annotations) {
            annotations.remove(StorageNames.PRE_RESIZE);
        }
        Proposal.Builder event = event("VolumeExpanded", growth.claim());
        replace(event, growth.claim(), claim);
        replace(event, growth.volume(), volume);
        return event;
    }

    private Decision succeeded(World world, Growth growth, Proposal event, String more, Instant now) {
        Claim claim = growth.claim();
        String sentence = "ExpandVolume succeeded for volume " + claim.namespace() + '/' + claim.name() + more;
        List<Proposal> proposals = new ArrayList<>(List.of(event));
        Notices.tell(world, Notice.normal(involved(claim), SUCCEEDED, sentence, actor), claim.cause(), now)
                .ifPresent(proposals::add);
        return Decision.of(proposals);
    }

    private Proposal.Builder event(String type, Claim claim) {
        return Proposal.by(actor, type).because(claim.cause());
    }

    /** Replaces an object that has changed, and sees that one that has not stays as it is; whether it has. */
    private static boolean replace(Proposal.Builder event, View seen, ObjectNode next) {
        if (next.equals(seen.tree())) {
            event.expect(seen.stored());
            return false;
        }
        event.replace(seen.stored(), Draft.of(seen.key(), next));
        return true;
    }

    private static String sentence(Growth growth, String error) {
        return "error expanding volume \"" + growth.volume().name() + "\" of plugin \"" + StorageNames.BLOCK_PROVISIONER
                + "\": " + error;
    }

    private static Involved involved(Claim claim) {
        return Involved.of(claim.tree());
    }

    private static Decision told(World world, Growth growth, Notice notice, Instant now) {
        List<Proposal> proposals = new ArrayList<>();
        tell(world, growth, notice, now, proposals);
        return Decision.of(proposals);
    }

    private static void tell(World world, Growth growth, Notice notice, Instant now, List<Proposal> proposals) {
        Notices.tellOnce(world, notice, growth.claim().cause(), now).ifPresent(proposals::add);
    }
}
