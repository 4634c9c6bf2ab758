package dev.mooring.replay.explain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.schedule.PodScheduler;
import dev.mooring.control.schedule.SchedulingReport;
import dev.mooring.control.schedule.SchedulingReport.UnsuitableNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.node.pods.PodDeletion;
import dev.mooring.node.pods.VolumeReadiness;
import dev.mooring.node.volumemanager.PodVolumes;
import dev.mooring.replay.explain.Explanation.Finding;
import dev.mooring.replay.explain.Explanation.FindingSeverity;
import dev.mooring.replay.explain.Explanation.ObjectRef;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Explains a Pod: its node, its volumes, its containers or its deletion. The scheduler's checks, the node's plans and
 * the reasons that the node has recorded in the Pod's status decide. Stateless.
 */
final class PodExplainer implements ResourceExplainer {
    /** Limit of nodes that an explanation lists. */
    private static final int MAX_NODES = 10;

    @Override
    public Explained explain(StoredObject object, ExplainContext context) {
        return new OnePod(Pod.of(object), context).explain();
    }

    /** The explanation of one Pod. */
    private static final class OnePod {
        private final Pod pod;
        private final ExplainContext context;
        private final VolumeFindings volumes;
        private final ContainerFindings containers;
        private final List<Finding> causes = new ArrayList<>();

        private OnePod(Pod pod, ExplainContext context) {
            this.pod = pod;
            this.context = context;
            this.volumes = new VolumeFindings(context);
            this.containers = new ContainerFindings(pod, context);
        }

        private Explained explain() {
            String state = GenericExplainer.stateOf(pod.stored());
            if (pod.isBeingDeleted()) {
                deletion();
            } else if (pod.isFinished()) {
                end();
            } else if (!pod.isScheduled()) {
                scheduling();
            } else {
                node();
                readiness();
                engine();
            }
            return new Explained(state, root(state));
        }

        private Finding root(String state) {
            FindingSeverity worst = causes.stream()
                    .map(Finding::severity)
                    .max(FindingSeverity::compareTo)
                    .orElse(FindingSeverity.OK);
            String name = ObjectRef.of(pod.stored()).toString();
            boolean isProblem = worst.compareTo(FindingSeverity.WAITING) >= 0;
            boolean isReady = state.equals("Running") && !isProblem;
            String text = name + " is " + state + (isReady ? ", and all its containers are ready." : ".");
            Finding.Builder root = state.equals("Failed")
                    ? Finding.failed(text)
                    : isProblem || pod.isBeingDeleted() || state.equals("Pending")
                            ? Finding.waiting(text)
                            : Finding.ok(text);
            if (isProblem) {
                root.next("Read the Events of the Pod.", Commands.kubectl("describe", pod.key()));
            }
            return root.about(pod.stored())
                    .reason(pod.status().path("reason").asText(""))
                    .because(causes)
                    .build();
        }

        private void deletion() {
            context.deletionRequestOf(pod.key())
                    .ifPresent(
                            request -> causes.add(Finding.info("Its deletion was requested by " + request.actor() + '.')
                                    .at(request)
                                    .build()));
            node();
            containers.running().forEach(this::stopping);
            if (!PodVolumes.isRunning(pod)) {
                PodDeletion.remainingVolumes(context.world(), pod.nodeName(), pod)
                        .forEach(this::remaining);
            }
            causes.addAll(GenericExplainer.finalizers(pod.stored(), Set.of()));
            if (causes.stream().noneMatch(each -> each.severity().compareTo(FindingSeverity.WAITING) >= 0)) {
                causes.add(Finding.waiting("The node has not confirmed yet that its containers have ended.")
                        .build());
            }
        }

        private void stopping(String container) {
            Instant kill = GenericExplainer.time(pod.metadata().path("deletionTimestamp"));
            boolean overdue = context.now().isAfter(kill);
            Finding.Builder finding = Finding.waiting("Container " + container
                            + (overdue
                                    ? " still runs, although its grace period is over."
                                    : " is stopping; it is killed at the end of its grace period."))
                    .reason("Killing")
                    .retryAt(Optional.of(kill).filter(unused -> !overdue));
            if (overdue) {
                finding.because(unhealthyVolumes());
                finding.next(
                        "Look for processes that wait for a disk or a server (state D).", "ps -eo pid,stat,wchan,args");
            } else {
                finding.next(
                        "Stop it at once, if it has nothing to save.",
                        Commands.kubectl("delete", pod.key(), "--grace-period=1"));
            }
            causes.add(finding.build());
        }

        private void remaining(ObjectKey volume) {
            Finding.Builder finding = Finding.waiting("A volume of the Pod is not unmounted yet.");
            context.explain(volume).ifPresent(finding::because);
            causes.add(finding.build());
        }

        private void end() {
            if (pod.phase().equals("Succeeded")) {
                causes.add(Finding.ok("All its containers have ended with exit code 0.")
                        .build());
                return;
            }
            String reason = pod.status().path("reason").asText("");
            String message = pod.status().path("message").asText("");
            if (!reason.isEmpty() || !message.isEmpty()) {
                Finding.Builder finding = Finding.failed(
                                ClaimExplainer.sentence(message.isEmpty() ? "Its reason is " + reason : message))
                        .reason(reason);
                if (reason.equals("DeadlineExceeded")) {
                    finding.next(
                            "Read spec.activeDeadlineSeconds.",
                            Commands.kubectl("get", pod.key(), "-o", "jsonpath='{.spec.activeDeadlineSeconds}'"));
                }
                causes.add(finding.build());
            }
            causes.addAll(containers.failures());
        }

        private void scheduling() {
            SchedulingReport report = PodScheduler.report(context.world(), pod, context.now());
            Finding.Builder finding = Finding.waiting(report.node()
                            .map(node -> "The scheduler has chosen node " + node
                                    + ", but waits until its claims have volumes there.")
                            .filter(unused -> !report.claims().isEmpty())
                            .orElse(
                                    report.message().isEmpty()
                                            ? "The scheduler is about to choose a node."
                                            : ClaimExplainer.sentence("No node runs the Pod: " + report.message())))
                    .reason(report.message().isEmpty() ? "" : "Unschedulable");
            report.claims().forEach(claim -> finding.because(claim(claim)));
            report.nodes().stream()
                    .limit(report.node().isPresent() ? 0 : MAX_NODES)
                    .forEach(each -> finding.because(unsuitable(each)));
            if (report.claims().isEmpty()
                    && report.nodes().isEmpty()
                    && !report.message().isEmpty()) {
                if (!pod.spec().path("schedulingGates").isEmpty()) {
                    ObjectNode patch = JsonNodeFactory.instance.objectNode();
                    patch.putObject("spec").putArray("schedulingGates");
                    finding.next(
                            "Remove the gates, if what they wait for has happened.", Commands.patch(pod.key(), patch));
                }
                finding.next("Read the Pod's spec.", Commands.kubectl("get", pod.key(), "-o", "yaml"))
                        .next("List the nodes.", "kubectl get nodes");
            }
            causes.add(finding.build());
        }

        private Finding claim(ObjectKey claim) {
            return context.world().get(claim).isEmpty()
                    ? volumes.missingClaim(claim)
                    : context.explain(claim)
                            .orElseGet(() -> Finding.waiting("Its claim " + claim.name() + " is not bound.")
                                    .build());
        }

        private Finding unsuitable(UnsuitableNode node) {
            Finding.Builder finding = Finding.waiting("Node " + node.name() + ": " + node.reason()
                            + (node.detail().isEmpty() ? "" : " (" + node.detail() + ')') + '.')
                    .about(Node.key(node.name()));
            if (node.blocker().isPresent()) {
                ObjectKey blocker = node.blocker().get();
                finding.because(blockedBy(blocker));
            } else {
                ObjectKey key = Node.key(node.name());
                Optional<Finding> own = context.explain(key);
                own.filter(each -> each.severity().compareTo(FindingSeverity.WAITING) >= 0)
                        .ifPresent(finding::because);
                if (node.isTainted()) {
                    context.world()
                            .get(key)
                            .ifPresent(
                                    found -> finding.because(NodeExplainer.taints(Node.of(found), Finding::waiting)));
                }
                missingLabels(key)
                        .ifPresent(labels -> finding.next(
                                "Label the node, if it suits the Pod.",
                                Commands.kubectl("label", key, "--overwrite", labels)));
                finding.next(
                        "Compare the node's resources with the Pod's requests.", Commands.kubectl("describe", key));
            }
            return finding.build();
        }

        /** Returns the labels of the Pod's nodeSelector that a node does not have, as arguments of kubectl. */
        private Optional<String> missingLabels(ObjectKey node) {
            JsonNode labels =
                    context.world().get(node).map(Node::of).orElseThrow().labels();
            List<String> missing = new ArrayList<>();
            for (Map.Entry<String, JsonNode> each :
                    pod.spec().path("nodeSelector").properties()) {
                if (!each.getValue().equals(labels.path(each.getKey()))) {
                    missing.add(Commands.quoted(
                            each.getKey() + '=' + each.getValue().asText("")));
                }
            }
            return missing.isEmpty() ? Optional.empty() : Optional.of(String.join(" ", missing));
        }

        private Finding blockedBy(ObjectKey blocker) {
            if (blocker.resource().equals("pods")) {
                return Finding.waiting(new ObjectRef(blocker, "") + " uses the same claim.")
                        .about(blocker)
                        .next("Delete the other Pod, if it is not needed.", Commands.kubectl("delete", blocker))
                        .build();
            }
            Optional<Finding> explained =
                    context.explain(blocker).filter(each -> each.severity().compareTo(FindingSeverity.WAITING) >= 0);
            return explained.orElseGet(() -> Finding.waiting(new ObjectRef(blocker, "") + " is not usable there.")
                    .about(blocker)
                    .next("Read its node affinity and class.", Commands.kubectl("get", blocker, "-o", "yaml"))
                    .build());
        }

        /** Adds what the node of the Pod lacks. */
        private void node() {
            if (!pod.isScheduled()) {
                return;
            }
            NodeFindings.notReady(pod.nodeName(), context).ifPresent(causes::add);
        }

        /** Adds that the node runs no containers; if it never does, only after everything else. */
        private void engine() {
            if (!PodVolumes.isRunning(pod)) {
                NodeFindings.key(pod.nodeName())
                        .flatMap(context.world()::get)
                        .map(Node::of)
                        .filter(node -> !node.isKnownNotReady())
                        .flatMap(NodeExplainer::withoutEngine)
                        .filter(found -> causes.isEmpty() || found.severity() == FindingSeverity.FAILED)
                        .ifPresent(causes::add);
            }
            if (causes.isEmpty() && pod.phase().equals("Pending")) {
                causes.add(Finding.waiting("The node is about to start its containers.")
                        .build());
            }
        }

        private void readiness() {
            VolumeReadiness mounts = VolumeReadiness.of(context.world(), pod);
            mounts.missing().keySet().forEach(name -> causes.add(volumes.notMounted(pod, name)));
            causes.addAll(unhealthyVolumes());
            causes.addAll(containers.problems(mounts.missing().isEmpty()));
        }

        /** Returns a finding for each mounted volume with a problem. */
        private List<Finding> unhealthyVolumes() {
            List<Finding> findings = new ArrayList<>();
            VolumeReadiness.of(context.world(), pod)
                    .unhealthy()
                    .keySet()
                    .forEach(name -> volumes.unhealthy(pod, name).ifPresent(findings::add));
            return findings;
        }
    }
}
