package dev.mooring.replay.explain;

import dev.mooring.control.persistentvolume.ReclaimProgress;
import dev.mooring.control.protection.NodeUsage;
import dev.mooring.control.protection.VolumeProtectionController.VolumeUsers;
import dev.mooring.model.EventReasons;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.replay.explain.Explanation.Finding;
import dev.mooring.replay.explain.Explanation.ObjectRef;
import dev.mooring.world.Indexes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Explains PersistentVolumes with the users that protect them ({@link VolumeUsers}) and the progress of the reclaim
 * policy ({@link ReclaimProgress}).
 */
final class VolumeExplainer implements ResourceExplainer {
    private static final int MAX_LISTED = 10;
    private static final String RETAIN = "Retain";

    @Override
    public Explained explain(StoredObject object, ExplainContext context) {
        Volume volume = Volume.of(object);
        String state = volume.isBeingDeleted()
                ? GenericExplainer.TERMINATING
                : volume.phase().isEmpty() ? "Pending" : volume.phase();
        String text = ObjectRef.of(object) + " is " + state + '.';
        Finding.Builder root = switch (state) {
            case GenericExplainer.TERMINATING -> Finding.waiting(text).because(terminating(volume, context));
            case "Released" -> Finding.waiting(text).because(released(volume, context));
            case "Failed" -> Finding.failed(text).because(failed(volume, context));
            default -> GenericExplainer.asSeriousAs(usable(volume, context), text);
        };
        return new Explained(
                state,
                root.about(object)
                        .reason(volume.status().path("reason").asText(""))
                        .build());
    }

    /** Explains a volume that is Pending, Available or Bound. */
    private static List<Finding> usable(Volume volume, ExplainContext context) {
        List<Finding> findings = new ArrayList<>();
        boolean isReachable = volume.nodeAffinity().isAny()
                || context.world().stream(Scope.resource("nodes"))
                        .map(Node::of)
                        .anyMatch(volume.nodeAffinity()::matches);
        if (!isReachable) {
            findings.add(Finding.failed("Its node affinity matches no existing node, so no Pod can use it.")
                    .next(
                            "Compare its node affinity with the labels of the nodes.",
                            Commands.kubectl("get", volume.key(), "-o", "jsonpath='{.spec.nodeAffinity}'")
                                    + " && kubectl get nodes --show-labels")
                    .build());
        }
        findings.add(volume.claimRef()
                .map(ref -> claim(volume, ref, context))
                .orElseGet(() -> Finding.ok("It has no claim; a claim that matches it binds to it.")
                        .build()));
        volume.sourceText()
                .ifPresent(source ->
                        findings.add(Finding.ok("Its source is " + source + '.').build()));
        for (NodeUsage usage : NodeUsage.of(context.world(), volume)) {
            Finding.Builder mounted = Finding.ok("It is " + usage.state() + " node " + usage.node() + '.');
            NodeFindings.key(usage.node()).ifPresent(mounted::about);
            findings.add(mounted.build());
        }
        context.world().find(Indexes.ACTUAL_VOLUMES_BY_REFERENCE, volume.key()).stream()
                .flatMap(each -> context.explain(each.key()).stream())
                .filter(each -> each.severity() == Explanation.FindingSeverity.FAILED)
                .limit(MAX_LISTED)
                .forEach(findings::add);
        return findings;
    }

    private static Finding claim(Volume volume, ClaimRef ref, ExplainContext context) {
        Optional<Claim> claim = context.world().get(ref.key()).map(Claim::of);
        if (volume.phase().equals("Bound")) {
            return Finding.ok("It is bound to claim " + ref + '.')
                    .about(ref.key())
                    .build();
        }
        if (claim.isEmpty()) {
            return Finding.info("It is reserved for claim " + ref + ", which does not exist.")
                    .about(ref.key())
                    .next("Make it available to all claims.", Commands.mooring("release", volume.key()))
                    .build();
        }
        String message = volume.status().path("message").asText("");
        if (!message.isEmpty()) {
            return Finding.failed("It is " + message + '.')
                    .about(claim.get().stored())
                    .next(
                            "If the volume has that much space, raise its capacity.",
                            Commands.kubectl(
                                    "patch",
                                    volume.key(),
                                    "-p",
                                    "'{\"spec\":{\"capacity\":{\"storage\":\""
                                            + claim.get().request() + "\"}}}'"))
                    .build();
        }
        return Finding.waiting("It is reserved for claim " + ref + ", which is "
                        + (claim.get().phase().isEmpty()
                                ? "Pending"
                                : claim.get().phase()) + '.')
                .about(claim.get().stored())
                .because(context.explain(ref.key()).stream()
                        .flatMap(each -> each.because().stream())
                        .toList())
                .build();
    }

    private static List<Finding> released(Volume volume, ExplainContext context) {
        boolean isRetained = volume.reclaimPolicy().equals(RETAIN);
        List<Finding> findings = new ArrayList<>();
        findings.add(lastClaim(volume, context, isRetained ? Finding::waiting : Finding::info));
        findings.addAll(reclaim(volume, context));
        return findings;
    }

    /** Explains why the claim of a volume no longer uses it. */
    private static Finding lastClaim(
            Volume volume, ExplainContext context, Function<String, Finding.Builder> severity) {
        if (volume.claimRef().isEmpty()) {
            return severity.apply("It has no claim.").build();
        }
        ClaimRef ref = volume.claimRef().get();
        Optional<Claim> claim = context.world().get(ref.key()).map(Claim::of);
        if (claim.isPresent()) {
            boolean isSame = claim.get().uid().equals(ref.uid());
            return severity.apply(
                            isSame
                                    ? "Claim " + ref + " uses PersistentVolume "
                                            + claim.get().volumeName() + " instead."
                                    : "A new claim " + ref + " exists, but the volume belongs to the earlier one, with"
                                            + " uid " + ref.uid() + '.')
                    .about(claim.get().stored())
                    .build();
        }
        Optional<ObjectDeletion> deletion = context.deletionOf(ref.key())
                .filter(each -> ObjectRef.of(each.last()).uid().equals(ref.uid()));
        return deletion.map(each ->
                        severity.apply(each.text() + '.').about(each.last()).at(each.request()))
                .orElseGet(
                        () -> severity.apply("Claim " + ref + " was deleted.").about(ref.key()))
                .build();
    }

    /** Explains what the reclaim policy does with the data, and what it waits for. */
    private static List<Finding> reclaim(Volume volume, ExplainContext context) {
        if (volume.reclaimPolicy().equals(RETAIN)) {
            return List.of(Finding.info("Its reclaim policy Retain keeps the data until an administrator decides.")
                    .next("Make it available again, with its data.", Commands.mooring("release", volume.key()))
                    .next(
                            "Or delete the PersistentVolume; its data stays where it is.",
                            Commands.kubectl("delete", volume.key()))
                    .build());
        }
        ReclaimProgress progress = ReclaimProgress.of(context.world(), volume, context.now());
        List<Finding> findings = new ArrayList<>();
        progress.operation().ifPresent(operation -> findings.add(OperationExplainer.finding(operation, context)));
        if (progress.wanted().isPresent() && progress.operation().isEmpty()) {
            progress.pods().stream()
                    .limit(MAX_LISTED)
                    .forEach(pod -> findings.add(Finding.waiting(ObjectRef.of(pod.stored()) + " may still use it.")
                            .about(pod.stored())
                            .next(
                                    "Delete the Pod, if it may stop using the volume.",
                                    Commands.kubectl("delete", pod.key()))
                            .build()));
            progress.nodes().forEach(each -> findings.add(NodeFindings.usage(each, context)));
            if (!progress.nodeProblem().isEmpty()) {
                findings.add(Finding.failed(ClaimExplainer.sentence(progress.nodeProblem()))
                        .next("Check the nodes.", "kubectl get nodes --show-labels")
                        .build());
            }
        }
        String text = progress.wanted()
                .map(work -> "Its reclaim policy " + volume.reclaimPolicy() + " requires operation " + work + '.')
                .orElse("Its reclaim policy is " + volume.reclaimPolicy() + '.');
        boolean hasFailed = findings.stream().anyMatch(each -> each.severity() == Explanation.FindingSeverity.FAILED);
        return List.of((hasFailed ? Finding.failed(text) : Finding.waiting(text))
                .reason(EventReasons.VOLUME_DELETE)
                .because(findings)
                .build());
    }

    private static List<Finding> failed(Volume volume, ExplainContext context) {
        List<Finding> findings = new ArrayList<>();
        Optional<Finding> operation = ReclaimProgress.of(context.world(), volume, context.now())
                .operation()
                .map(each -> OperationExplainer.finding(each, context));
        Finding.Builder failure = Finding.failed(
                        ClaimExplainer.sentence(volume.status().path("message").asText("The reclaim policy failed")))
                .reason(volume.status().path("reason").asText(""));
        operation.ifPresent(failure::because);
        findings.add(failure.next("Keep the data instead: set the reclaim policy to Retain.", retain(volume))
                .build());
        findings.add(lastClaim(volume, context, Finding::info));
        return findings;
    }

    private static String retain(Volume volume) {
        return Commands.kubectl(
                "patch", volume.key(), "-p", "'{\"spec\":{\"persistentVolumeReclaimPolicy\":\"Retain\"}}'");
    }

    private static List<Finding> terminating(Volume volume, ExplainContext context) {
        List<Finding> findings = new ArrayList<>();
        GenericExplainer.deletionRequest(volume.stored(), context).ifPresent(findings::add);
        if (volume.hasFinalizer(StorageNames.VOLUME_PROTECTION)) {
            findings.add(protection(volume, context));
        }
        boolean isReclaimed = volume.hasFinalizer(StorageNames.VOLUME_CONTROLLER);
        if (isReclaimed && !volume.phase().equals("Bound")) {
            findings.addAll(reclaim(volume, context));
        }
        findings.addAll(GenericExplainer.finalizers(
                volume.stored(),
                isReclaimed
                        ? Set.of(StorageNames.VOLUME_PROTECTION, StorageNames.VOLUME_CONTROLLER)
                        : Set.of(StorageNames.VOLUME_PROTECTION)));
        return findings;
    }

    private static Finding protection(Volume volume, ExplainContext context) {
        VolumeUsers users = VolumeUsers.of(context.world(), volume);
        List<Finding> causes = new ArrayList<>();
        if (users.claim().isPresent()) {
            Optional<ClaimRef> ref = volume.claimRef();
            causes.add(ref.map(each -> Finding.waiting("It is bound to claim " + each + '.')
                            .about(each.key())
                            .next(
                                    "Delete the claim to release the volume; its reclaim policy is "
                                            + volume.reclaimPolicy() + ".",
                                    Commands.kubectl("delete", each.key())))
                    .orElseGet(() -> Finding.waiting("Its phase is Bound."))
                    .build());
        }
        users.nodes().forEach(each -> causes.add(NodeFindings.usage(each, context)));
        return Finding.waiting("Finalizer " + StorageNames.VOLUME_PROTECTION
                        + (causes.isEmpty()
                                ? " is about to be removed: nothing uses the volume any more."
                                : " keeps it while it is in use."))
                .reason(EventReasons.VOLUME_IN_USE)
                .because(causes)
                .build();
    }
}
