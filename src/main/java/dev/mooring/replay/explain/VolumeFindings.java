package dev.mooring.replay.explain;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.node.volumemanager.PlannedOperation;
import dev.mooring.node.volumemanager.VolumeObserver;
import dev.mooring.node.volumemanager.VolumePlan;
import dev.mooring.node.volumemanager.VolumePlan.WaitingOperation;
import dev.mooring.replay.explain.Explanation.Finding;
import dev.mooring.replay.explain.Explanation.FindingSeverity;
import dev.mooring.replay.explain.Explanation.ObjectRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds why a node has not mounted a volume, or not unmounted it. Errors of a mount are also in the Events and the
 * status of its Pod, so a reader of the Pod may see them; the number of attempts and the time of the next one are only
 * in the ActualVolume.
 */
final class VolumeFindings {
    /** Reasons of a DesiredVolume for which the claim has the cause. */
    private static final Set<String> OF_CLAIM = Set.of(
            "ClaimNotBound",
            "ClaimBeingDeleted",
            "ClaimWithoutVolume",
            "VolumeNotFound",
            "VolumeNotBound",
            "VolumeOfAnother");

    private final ExplainContext context;

    VolumeFindings(ExplainContext context) {
        this.context = context;
    }

    /** Returns why a volume of a scheduled Pod is not mounted. */
    Finding notMounted(Pod pod, String name) {
        String text = "Volume \"" + name + "\" is not mounted.";
        Optional<DesiredVolume> desired =
                context.world().get(DesiredVolume.key(pod, name)).map(DesiredVolume::of);
        if (desired.isPresent()) {
            return GenericExplainer.asSeriousAs(causes(desired.get(), pod), text)
                    .reason("FailedMount")
                    .build();
        }
        Finding.Builder unknown =
                Finding.waiting("The node has not registered the volume in its desired state of the world.");
        NodeFindings.notReady(pod.nodeName(), context).ifPresent(unknown::because);
        return Finding.waiting(text)
                .reason("FailedMount")
                .because(unknown.build())
                .build();
    }

    /** Returns why a desired volume is not mounted for its Pod; empty if it is mounted. */
    List<Finding> causes(DesiredVolume desired, Pod pod) {
        JsonNode error = desired.status().path("error");
        if (error.isObject()) {
            return List.of(unresolved(desired, error));
        }
        Optional<ObjectKey> key = desired.counterpart();
        if (key.isEmpty()) {
            return List.of();
        }
        Optional<ActualVolume> actual = context.world().get(key.get()).map(ActualVolume::of);
        Optional<ActualVolume.Mount> mount = actual.flatMap(each -> each.mountFor(pod.uid()));
        if (mount.filter(each -> each.isMounted() && each.operation().isEmpty()).isPresent()) {
            return List.of();
        }
        VolumePlan plan = VolumeObserver.ofRecords(desired.node()).plan(context.world(), key.get(), context.now());
        List<Finding> causes = new ArrayList<>();
        mount.ifPresent(each -> causes.addAll(failure(actual.get(), each.json(), Optional.of(pod), desired.source())));
        actual.ifPresent(each -> causes.addAll(failure(each, each.status(), Optional.of(pod), desired.source())));
        if (!causes.isEmpty()) {
            return causes;
        }
        plan.waiting().stream()
                .filter(each ->
                        each.pod().filter(one -> !one.uid().equals(pod.uid())).isEmpty())
                .forEach(each -> causes.add(waiting(each, key.get())));
        if (causes.isEmpty()) {
            causes.add(inProgress(actual, mount.map(ActualVolume.Mount::json), plan, key.get()));
        }
        return causes;
    }

    /** Returns the obstacle that the populator has found between the Pod and the volume. */
    private Finding unresolved(DesiredVolume desired, JsonNode error) {
        String reason = error.path("reason").asText("");
        Finding.Builder finding = Finding.failed(
                        ClaimExplainer.sentence(error.path("message").asText("")))
                .reason(reason)
                .at(GenericExplainer.time(error.path("time")));
        Optional<ObjectKey> claim = Claim.keyIfValid(
                desired.claim().path("namespace").asText(""),
                desired.claim().path("name").asText(""));
        if (claim.isPresent() && reason.equals("ClaimNotFound")) {
            finding.because(missingClaim(claim.get()));
        } else if (claim.isPresent() && OF_CLAIM.contains(reason)) {
            context.explain(claim.get()).ifPresent(finding::because);
        } else {
            Volume.keyIfValid(desired.persistentVolume())
                    .ifPresentOrElse(
                            volume -> finding.next(
                                    "Compare the PersistentVolume with the Pod.",
                                    Commands.kubectl("get", volume, "-o", "yaml")),
                            () -> desired.pod()
                                    .key()
                                    .ifPresent(pod -> finding.next(
                                            "Read the volumes of the Pod.",
                                            Commands.kubectl("get", pod, "-o", "yaml"))));
        }
        return finding.build();
    }

    /** Returns the finding about a claim that does not exist. */
    Finding missingClaim(ObjectKey claim) {
        String namespace = claim.namespace().orElseThrow();
        Finding.Builder finding = Finding.failed(
                        "PersistentVolumeClaim " + namespace + '/' + claim.name() + " does not exist.")
                .about(claim)
                .reason("ClaimNotFound")
                .next("List the claims of the namespace.", "kubectl get pvc -n " + namespace);
        context.deletionOf(claim).ifPresent(deleted -> finding.because(deleted.finding()));
        return finding.build();
    }

    /**
     * Returns the last failure in a mount or in the volume itself; empty if there is none.
     *
     * @param place the mount, or the status of the volume
     * @param pod the Pod whose Events have the failure too
     */
    List<Finding> failure(ActualVolume actual, JsonNode place, Optional<Pod> pod, JsonNode source) {
        JsonNode error = place.path("lastError");
        if (!error.isObject()) {
            return List.of();
        }
        String reason = error.path("reason").asText("");
        Finding.Builder cause = Finding.failed(
                        ClaimExplainer.sentence(error.path("message").asText("")))
                .reason(reason);
        SourceTypes.of(source)
                .flatMap(type -> type.repair(reason, source))
                .ifPresent(repair -> cause.next(repair.text(), Commands.quoted(repair.arguments())));
        pod.ifPresent(each -> cause.because(MissingReferences.ofVolume(each, volume(each, place), context)));
        if (!context.mayRead(actual.key())) {
            return List.of(cause.build());
        }
        int attempts = place.path("attempts").asInt(0);
        String operation = error.path("operation").asText("");
        return List.of(Finding.failed("Operation " + operation + " failed on node " + actual.node() + ", "
                        + (attempts == 1 ? "1 attempt" : attempts + " attempts") + " so far.")
                .about(actual.stored())
                .reason(reason)
                .attempt(attempts)
                .at(GenericExplainer.time(error.path("time")))
                .retryAt(Optional.of(GenericExplainer.time(place.path("nextTry")))
                        .filter(next -> next.isAfter(context.now())))
                .because(cause.build())
                .next("Read the complete error.", Commands.kubectl("get", actual.key(), "-o", "yaml"))
                .build());
    }

    private static JsonNode volume(Pod pod, JsonNode mount) {
        String name = mount.path("volumeName").asText("");
        for (JsonNode each : pod.spec().path("volumes")) {
            if (each.path("name").asText("").equals(name)) {
                return each;
            }
        }
        return pod.spec().path("volumes").path(name);
    }

    /** Returns the finding about an operation that the planner does not start yet. */
    Finding waiting(WaitingOperation waiting, ObjectKey actual) {
        Finding.Builder finding = Finding.waiting(ClaimExplainer.sentence(
                        "Operation " + waiting.operation().text() + " waits: " + waiting.reason()))
                .retryAt(waiting.retryAt());
        if (context.mayRead(actual) && context.world().get(actual).isPresent()) {
            finding.about(actual);
        }
        waiting.blocker().ifPresent(blocker -> finding.because(blocker(blocker)));
        return finding.build();
    }

    /** Returns the finding about an object that has to change before an operation can start. */
    private Finding blocker(ObjectKey key) {
        Finding.Builder finding = Finding.waiting(new ObjectRef(key, "")
                        + switch (key.resource()) {
                            case "pods" -> " uses the volume.";
                            case StorageNames.ACTUAL_VOLUMES -> " says that another node has the volume.";
                            case StorageNames.ATTACHMENTS -> " decides on which node the volume is.";
                            default -> " does not permit it.";
                        })
                .about(key);
        // Why a Pod is Pending does not matter here, but why it does not end.
        boolean isPod = key.resource().equals("pods");
        boolean isEnding =
                context.world().get(key).filter(GenericExplainer::isTerminating).isPresent();
        context.explain(key)
                .filter(found -> (!isPod || isEnding) && found.severity().compareTo(FindingSeverity.WAITING) >= 0)
                .ifPresent(finding::because);
        if (isPod) {
            finding.next("Delete the Pod that uses the volume, if it is not needed.", Commands.kubectl("delete", key));
        } else {
            finding.next("Read the object.", Commands.kubectl("get", key, "-o", "yaml"));
        }
        return finding.build();
    }

    private Finding inProgress(
            Optional<ActualVolume> actual, Optional<JsonNode> mount, VolumePlan plan, ObjectKey key) {
        String operation = mount.map(each -> each.path("operation").asText(""))
                .filter(each -> !each.isEmpty())
                .or(() -> actual.map(ActualVolume::operation))
                .filter(each -> !each.isEmpty())
                .orElse("");
        if (!operation.isEmpty()) {
            return Finding.waiting("Operation " + operation + " is in progress.")
                    .about(key)
                    .at(GenericExplainer.time(mount.map(each -> each.path("since"))
                            .orElse(actual.get().status().path("since"))))
                    .build();
        }
        return Finding.waiting(plan.operations().stream()
                        .findFirst()
                        .map(PlannedOperation::toString)
                        .map(each -> "The node is about to start " + each + '.')
                        .orElse("The node has not reported the volume yet."))
                .build();
    }

    /** Returns the problem of a mounted volume; empty if it is healthy. */
    Optional<Finding> unhealthy(Pod pod, String name) {
        Optional<DesiredVolume> desired =
                context.world().get(DesiredVolume.key(pod, name)).map(DesiredVolume::of);
        return desired.flatMap(DesiredVolume::counterpart)
                .flatMap(context.world()::get)
                .flatMap(actual -> ActualVolume.of(actual).mountFor(pod.uid()))
                .flatMap(mount -> unhealthy(
                        "Volume \"" + name + "\"", mount, desired.get().source()));
    }

    /** Returns the problem of a mount; the condition of its Pod says the same. */
    static Optional<Finding> unhealthy(String subject, ActualVolume.Mount mount, JsonNode source) {
        JsonNode health = mount.json().path("health");
        if (!health.isObject()) {
            return Optional.empty();
        }
        String reason = health.path("reason").asText("");
        Finding.Builder finding = Finding.failed(subject + " is mounted, but not usable: "
                        + ClaimExplainer.sentence(health.path("message").asText("")))
                .reason(reason)
                .at(GenericExplainer.time(health.path("since")));
        SourceTypes.of(source)
                .flatMap(type -> type.repair(reason, source))
                .ifPresent(repair -> finding.next(repair.text(), Commands.quoted(repair.arguments())));
        return Optional.of(finding.build());
    }
}
