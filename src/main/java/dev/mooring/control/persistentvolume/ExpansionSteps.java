package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Decision;
import dev.mooring.control.EventProposals;
import dev.mooring.model.Draft;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.KubeEvent.InvolvedObject;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.SourceType;
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
 * The steps of an expansion: each is one event that changes the claim, the volume and the operation together, with the
 * Events about it. Pure; thread-safe.
 *
 * @param actor the controller
 */
record ExpansionSteps(String actor) {
    /** Retry interval while the node does not exist; the controller does not watch Nodes. */
    private static final Duration NODE_RETRY_DELAY = Duration.ofSeconds(30);

    /** Creates the operation for the node that has the data. */
    Decision start(World world, VolumeExpansion expansion, Instant now) {
        Claim claim = expansion.claim();
        Volume volume = expansion.volume();
        Optional<String> node = ExpandOperations.nodeOf(world, volume);
        if (node.isEmpty()) {
            String error = "no node has the volume: none matches its spec.nodeAffinity";
            return recordOnly(
                            world,
                            expansion,
                            KubeEvent.warning(
                                    involved(claim),
                                    EventReasons.VOLUME_RESIZE_FAILED,
                                    errorMessage(expansion, error),
                                    actor),
                            now)
                    .requeueAfter(NODE_RETRY_DELAY);
        }
        ObjectNode next = claim.copy();
        ResizeStatus.started(next, expansion.currentCapacity(), expansion.target(), node.get(), now);
        return Decision.of(event("VolumeExpansionStarted", claim)
                .replace(claim.stored(), Draft.of(claim.key(), next))
                .create(ExpandOperations.create(world, expansion, node.get(), now))
                .expect(volume.stored())
                .build());
    }

    /** Changes the size of an operation that has not started. */
    Decision changeSize(VolumeExpansion expansion, VolumeOperation operation, Instant now) {
        Claim claim = expansion.claim();
        ObjectNode next = claim.copy();
        ResizeStatus.started(next, expansion.currentCapacity(), expansion.target(), operation.node(), now);
        return Decision.of(event("VolumeExpansionChanged", claim)
                .replace(claim.stored(), Draft.of(claim.key(), next))
                .replace(operation.stored(), ExpandOperations.resized(operation, expansion.target()))
                .build());
    }

    /** Cancels the expansion of a claim that no longer requests more than it has. */
    Decision cancel(VolumeExpansion expansion) {
        Claim claim = expansion.claim();
        ObjectNode next = claim.copy();
        ResizeStatus.clear(next);
        Proposal.Builder event = event("VolumeExpansionTakenBack", claim);
        boolean changed = replace(event, claim, next);
        expansion.operation().ifPresent(operation -> event.remove(operation.stored()));
        return changed || expansion.operation().isPresent() ? Decision.of(event.build()) : Decision.none();
    }

    /** Reports a failure of the node, which retries unless the failure is final. */
    Decision fail(World world, VolumeExpansion expansion, VolumeOperation operation, Instant now) {
        Claim claim = expansion.claim();
        ObjectNode next = claim.copy();
        String reason = operation.errorReason().isEmpty() ? EventReasons.VOLUME_RESIZE_FAILED : operation.errorReason();
        Proposal.Builder event = event("VolumeExpansionFailed", claim);
        boolean infeasible = ExpandOperations.isInfeasible(operation);
        if (infeasible) {
            ResizeStatus.infeasible(next, expansion.target(), reason, operation.error(), now);
            event.remove(operation.stored());
        } else {
            ResizeStatus.failed(next, reason, operation.error(), now);
        }
        List<Proposal> proposals = new ArrayList<>();
        if (replace(event, claim, next) || infeasible) {
            proposals.add(event.build());
        }
        String sentence = errorMessage(expansion, operation.error())
                + (infeasible
                        ? "; not retried until the claim requests another size, which may be any above "
                                + expansion.currentCapacity()
                        : "");
        addEvent(
                world,
                expansion,
                KubeEvent.warning(involved(claim), EventReasons.VOLUME_RESIZE_FAILED, sentence, actor),
                now,
                proposals);
        return Decision.of(proposals);
    }

    /** Completes the expansion after the node's operation succeeded. */
    Decision finish(World world, VolumeExpansion expansion, VolumeOperation operation, Instant now) {
        Quantity size = expansion.atLeastVolumeCapacity(ExpandOperations.resultCapacity(operation));
        if (operation.isFileSystemResizePending()) {
            return finishOnMount(world, expansion, operation, size, now);
        }
        Proposal event = expanded(expansion, size).remove(operation.stored()).build();
        return succeeded(world, expansion, event, "", now);
    }

    private Decision finishOnMount(
            World world, VolumeExpansion expansion, VolumeOperation operation, Quantity size, Instant now) {
        Claim claim = expansion.claim();
        ObjectNode next = claim.copy();
        ResizeStatus.nodePending(next, size, now);
        ObjectNode volume = expansion.volume().copy();
        volume.withObject("/spec/capacity").put("storage", size.canonical());
        if (!expansion.volume().hasAnnotation(StorageNames.PRE_RESIZE)) {
            volume.withObject("/metadata/annotations")
                    .put(StorageNames.PRE_RESIZE, expansion.currentCapacity().canonical());
        }
        Proposal.Builder event = event("VolumeExpansionLeftToNode", claim);
        replace(event, claim, next);
        replace(event, expansion.volume(), volume);
        event.remove(operation.stored());
        List<Proposal> proposals = new ArrayList<>(List.of(event.build()));
        KubeEvent kubeEvent = KubeEvent.normal(
                involved(claim),
                EventReasons.FILE_SYSTEM_RESIZE_REQUIRED,
                "Require file system resize of volume on node",
                actor);
        addEvent(world, expansion, kubeEvent, now, proposals);
        return Decision.of(proposals);
    }

    /** Completes the expansion after the node grew the mounted file system. */
    Decision finishOnNode(World world, VolumeExpansion expansion, Instant now) {
        Claim claim = expansion.claim();
        KubeEvent kubeEvent = KubeEvent.normal(
                involved(claim),
                EventReasons.FILE_SYSTEM_RESIZE_SUCCESSFUL,
                "MountVolume.NodeExpandVolume succeeded for volume \""
                        + expansion.volume().name() + '"',
                actor);
        List<Proposal> proposals = new ArrayList<>(
                List.of(expanded(expansion, expansion.atLeastVolumeCapacity(expansion.currentCapacity()))
                        .build()));
        EventProposals.recordEvent(world, kubeEvent, claim.cause(), now).ifPresent(proposals::add);
        return Decision.of(proposals);
    }

    /** Sets the new capacity of a volume whose size is not enforced. */
    Decision updateCapacityOnly(World world, VolumeExpansion expansion, Instant now) {
        if (expansion.claim().isBeingDeleted()) {
            return Decision.none();
        }
        String notEnforced = ". The size of a "
                + expansion.volume().sourceType().map(SourceType::field).orElse("") + " volume is not enforced: "
                + expansion.target() + " is neither a limit nor a guarantee";
        return succeeded(
                world, expansion, expanded(expansion, expansion.target()).build(), notEnforced, now);
    }

    /** Records that an external controller must expand the volume. */
    Decision waitForExternal(World world, VolumeExpansion expansion, Instant now) {
        KubeEvent kubeEvent = KubeEvent.normal(
                involved(expansion.claim()),
                EventReasons.EXTERNAL_EXPANDING,
                "waiting for an external controller to expand this PVC",
                actor);
        return recordOnly(world, expansion, kubeEvent, now);
    }

    /** Returns an event in which volume and claim have the size. */
    private Proposal.Builder expanded(VolumeExpansion expansion, Quantity size) {
        ObjectNode claim = expansion.claim().copy();
        ResizeStatus.finished(claim, size);
        ObjectNode volume = expansion.volume().copy();
        volume.withObject("/spec/capacity").put("storage", size.canonical());
        if (volume.path("metadata").path("annotations") instanceof ObjectNode annotations) {
            annotations.remove(StorageNames.PRE_RESIZE);
        }
        Proposal.Builder event = event("VolumeExpanded", expansion.claim());
        replace(event, expansion.claim(), claim);
        replace(event, expansion.volume(), volume);
        return event;
    }

    private Decision succeeded(World world, VolumeExpansion expansion, Proposal event, String more, Instant now) {
        Claim claim = expansion.claim();
        String sentence = "ExpandVolume succeeded for volume " + claim.namespace() + '/' + claim.name() + more;
        List<Proposal> proposals = new ArrayList<>(List.of(event));
        EventProposals.recordEvent(
                        world,
                        KubeEvent.normal(involved(claim), EventReasons.VOLUME_RESIZE_SUCCESSFUL, sentence, actor),
                        claim.cause(),
                        now)
                .ifPresent(proposals::add);
        return Decision.of(proposals);
    }

    private Proposal.Builder event(String type, Claim claim) {
        return Proposal.by(actor, type).because(claim.cause());
    }

    /** Replaces an object that changed, or adds the precondition that it is unchanged. Returns whether it changed. */
    private static boolean replace(Proposal.Builder event, View seen, ObjectNode next) {
        if (next.equals(seen.tree())) {
            event.expect(seen.stored());
            return false;
        }
        event.replace(seen.stored(), Draft.of(seen.key(), next));
        return true;
    }

    private static String errorMessage(VolumeExpansion expansion, String error) {
        return "error expanding volume \"" + expansion.volume().name() + "\" of plugin \"" + expansion.provisioner()
                + "\": " + error;
    }

    private static InvolvedObject involved(Claim claim) {
        return InvolvedObject.of(claim.tree());
    }

    private static Decision recordOnly(World world, VolumeExpansion expansion, KubeEvent kubeEvent, Instant now) {
        List<Proposal> proposals = new ArrayList<>();
        addEvent(world, expansion, kubeEvent, now, proposals);
        return Decision.of(proposals);
    }

    private static void addEvent(
            World world, VolumeExpansion expansion, KubeEvent kubeEvent, Instant now, List<Proposal> proposals) {
        EventProposals.recordEventOnce(world, kubeEvent, expansion.claim().cause(), now)
                .ifPresent(proposals::add);
    }
}
