package dev.mooring.replay.explain;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import dev.mooring.control.persistentvolume.ClaimDecision;
import dev.mooring.control.persistentvolume.ClaimDecision.Bind;
import dev.mooring.control.persistentvolume.ClaimDecision.ProvisioningUnderway;
import dev.mooring.control.persistentvolume.ClaimDecision.Unbound;
import dev.mooring.control.persistentvolume.VolumeExpansion;
import dev.mooring.control.protection.ClaimUsers;
import dev.mooring.control.protection.NodeUsage;
import dev.mooring.model.EventReasons;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.DockerMount;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.replay.explain.Explanation.Finding;
import dev.mooring.replay.explain.Explanation.FindingSeverity;
import dev.mooring.replay.explain.Explanation.ObjectRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Explains claims with the decision of the PersistentVolumeController ({@link ClaimDecision}), the users that protect a
 * terminating claim ({@link ClaimUsers}) and the state of its expansion ({@link VolumeExpansion}).
 *
 * <p>The texts of a {@link ClaimDecision} may name other objects, because the controller writes them into the claim's
 * own status.
 */
final class ClaimExplainer implements ResourceExplainer {
    /** Limit of listed volumes and Pods. */
    private static final int MAX_LISTED = 10;

    @Override
    public Explained explain(StoredObject object, ExplainContext context) {
        Claim claim = Claim.of(object);
        if (claim.isBeingDeleted()) {
            return new Explained(GenericExplainer.TERMINATING, terminating(claim, context));
        }
        ClaimDecision decision = ClaimDecision.of(context.world(), claim, context.now());
        if (decision instanceof Bind bind && claim.phase().equals("Bound")) {
            return new Explained("Bound", bound(claim, bind.volume(), context));
        }
        String state = claim.phase().isEmpty() ? "Pending" : claim.phase();
        return new Explained(state, unbound(claim, state, decision, context));
    }

    private static Finding unbound(Claim claim, String state, ClaimDecision decision, ExplainContext context) {
        Finding cause = cause(claim, decision, context);
        String text = ObjectRef.of(claim.stored()) + " is " + state + '.';
        boolean isExpected = cause.severity() == FindingSeverity.INFO;
        Finding.Builder root = isExpected
                ? Finding.info(text)
                : cause.severity() == FindingSeverity.FAILED ? Finding.failed(text) : Finding.waiting(text);
        return root.about(claim.stored()).because(cause).build();
    }

    private static Finding cause(Claim claim, ClaimDecision decision, ExplainContext context) {
        if (decision instanceof Unbound unbound) {
            return new UnboundClaim(claim, unbound, context).cause();
        }
        if (decision instanceof ProvisioningUnderway underway) {
            Finding operation = OperationExplainer.finding(underway.operation(), context);
            boolean hasFailed = operation.severity() == FindingSeverity.FAILED;
            String text = sentence(underway.message());
            return (hasFailed ? Finding.failed(text) : Finding.waiting(text))
                    .reason(hasFailed ? EventReasons.PROVISIONING_FAILED : EventReasons.PROVISIONING)
                    .because(operation)
                    .build();
        }
        if (decision instanceof Bind bind) {
            return Finding.waiting("It matches " + ObjectRef.of(bind.volume().stored())
                            + "; the persistentvolume-controller is about to bind them.")
                    .about(bind.volume().stored())
                    .next("Check that the controllers run.", "kubectl get --raw '/readyz?verbose'")
                    .build();
        }
        return Finding.waiting("The persistentvolume-controller is about to process it.")
                .next("Check that the controllers run.", "kubectl get --raw '/readyz?verbose'")
                .build();
    }

    private static Finding bound(Claim claim, Volume volume, ExplainContext context) {
        List<Finding> causes = new ArrayList<>();
        Optional<Finding> resize = VolumeExpansion.of(context.world(), claim)
                .filter(VolumeExpansion::isRequested)
                .map(expansion -> expansion(expansion, context));
        resize.ifPresent(causes::add);
        causes.add(context.explain(volume.key())
                .filter(each -> each.severity().compareTo(FindingSeverity.WAITING) >= 0)
                .orElseGet(() -> Finding.ok("PersistentVolume " + volume.name() + " has "
                                + volume.capacity().map(Object::toString).orElse("no capacity")
                                + volume.sourceText().map(each -> " on " + each).orElse("") + '.')
                        .about(volume.stored())
                        .build()));
        ClaimUsers users = ClaimUsers.of(context.world(), claim);
        users.pods().stream()
                .limit(MAX_LISTED)
                .forEach(pod -> causes.add(
                        Finding.ok(use(pod, users)).about(pod.stored()).build()));
        String text = ObjectRef.of(claim.stored()) + " is Bound to PersistentVolume " + volume.name() + '.';
        return GenericExplainer.asSeriousAs(causes, text).about(claim.stored()).build();
    }

    private static Finding expansion(VolumeExpansion expansion, ExplainContext context) {
        Claim claim = expansion.claim();
        String text = "It requests " + expansion.target() + " and has " + expansion.currentCapacity() + ": ";
        if (expansion.operation().isPresent()) {
            Finding operation = OperationExplainer.finding(expansion.operation().get(), context);
            boolean hasFailed = operation.severity() == FindingSeverity.FAILED;
            String started = text + (hasFailed ? "the expansion failed." : "the volume is being expanded.");
            return (hasFailed ? Finding.failed(started) : Finding.waiting(started))
                    .reason(hasFailed ? EventReasons.VOLUME_RESIZE_FAILED : "Resizing")
                    .because(operation)
                    .build();
        }
        if (expansion.isInfeasible()) {
            String error = condition(claim, "ControllerResizeError");
            ObjectNode patch = JsonNodeFactory.instance.objectNode();
            patch.putObject("spec")
                    .putObject("resources")
                    .putObject("requests")
                    .put("storage", expansion.currentCapacity().toString());
            return Finding.failed(text + "this size is infeasible and is not tried again. " + error)
                    .reason(EventReasons.VOLUME_RESIZE_FAILED)
                    .next("Request a size that fits, or the current one.", Commands.patch(claim.key(), patch))
                    .build();
        }
        if (expansion.isLeftToNode()) {
            return Finding.waiting(text + "the node grows the file system when a Pod mounts the volume.")
                    .reason(EventReasons.FILE_SYSTEM_RESIZE_REQUIRED)
                    .next(
                            "List the Pods that use the claim, to restart one or start one.",
                            "kubectl get pods -n " + claim.namespace())
                    .build();
        }
        if (expansion.method() == VolumeExpansion.ExpansionMethod.EXTERNAL) {
            return Finding.waiting(text + "an external controller must expand the volume.")
                    .reason(EventReasons.EXTERNAL_EXPANDING)
                    .build();
        }
        return Finding.waiting(text + "the expansion has not started.")
                .reason(EventReasons.VOLUME_RESIZE_FAILED)
                .because(GenericExplainer.warnings(claim.stored(), context))
                .next("Check the nodes that can reach the volume.", "kubectl get nodes")
                .build();
    }

    private static String condition(Claim claim, String type) {
        return Conditions.find(claim.tree(), type)
                .map(each -> sentence(each.path("message").asText("")))
                .orElse("");
    }

    private static Finding terminating(Claim claim, ExplainContext context) {
        Finding.Builder root = Finding.waiting(ObjectRef.of(claim.stored()) + " is Terminating.")
                .about(claim.stored());
        GenericExplainer.deletionRequest(claim.stored(), context).ifPresent(root::because);
        if (claim.hasFinalizer(StorageNames.CLAIM_PROTECTION)) {
            root.because(protection(claim, context));
        }
        return root.because(GenericExplainer.finalizers(claim.stored(), Set.of(StorageNames.CLAIM_PROTECTION)))
                .build();
    }

    private static Finding protection(Claim claim, ExplainContext context) {
        ClaimUsers users = ClaimUsers.of(context.world(), claim);
        List<Finding> causes = new ArrayList<>();
        users.pods().stream()
                .limit(MAX_LISTED)
                .forEach(pod -> causes.add(Finding.waiting(use(pod, users))
                        .about(pod.stored())
                        .because(NodeFindings.notReady(pod.nodeName(), context).stream()
                                .toList())
                        .next(
                                DockerMount.of(pod).isPresent()
                                        ? "Stop the container, if it may stop using the claim."
                                        : "Delete the Pod, if it may stop using the claim.",
                                DockerMount.of(pod)
                                        .map(mount -> "docker stop " + mount.container())
                                        .orElseGet(() -> Commands.kubectl("delete", pod.key())))
                        .build()));
        Set<String> nodesOfPods = users.pods().stream().map(Pod::nodeName).collect(Collectors.toSet());
        users.nodes().stream()
                .filter(each -> !nodesOfPods.contains(each.node()))
                .forEach(each -> causes.add(NodeFindings.usage(each, context)));
        return Finding.waiting("Finalizer " + StorageNames.CLAIM_PROTECTION
                        + (causes.isEmpty()
                                ? " is about to be removed: nothing uses the claim any more."
                                : " keeps it while it is in use."))
                .reason(EventReasons.CLAIM_IN_USE)
                .because(causes)
                .build();
    }

    /** Describes how a Pod uses the claim. */
    private static String use(Pod pod, ClaimUsers users) {
        String name = DockerMount.of(pod)
                .map(DockerMount::user)
                .orElseGet(() -> ObjectRef.of(pod.stored()).toString());
        if (pod.isFinished()) {
            return name + " is " + pod.phase() + ", but keeps the claim until it is deleted.";
        }
        return users.nodes().stream()
                .filter(each -> each.node().equals(pod.nodeName()))
                .findFirst()
                .map(each -> name
                        + (each.state() == NodeUsage.UsageState.MOUNTING ? " waits for it: it is " : " has it ")
                        + each.state() + " node " + each.node() + '.')
                .orElse(name + " uses it on node " + pod.nodeName() + '.');
    }

    /** Makes a sentence of a message of Kubernetes, which often has no capital and no full stop. */
    static String sentence(String message) {
        if (message.isEmpty()) {
            return message;
        }
        String text = Character.toUpperCase(message.charAt(0)) + message.substring(1);
        return ".!?)".indexOf(text.charAt(text.length() - 1)) >= 0 ? text : text + '.';
    }
}
