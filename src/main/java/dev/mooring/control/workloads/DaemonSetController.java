package dev.mooring.control.workloads;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.schedule.Tolerations;
import dev.mooring.model.Change;
import dev.mooring.model.LabelSelector;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.NodeSelector;
import dev.mooring.model.view.Pod;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The DaemonSet controller: one Pod on each node that its template selects and tolerates. The Pod names its node in a
 * node affinity by {@code metadata.name}, so that the scheduler binds it, as in Kubernetes. Each step creates or deletes
 * one Pod together with the status (ADR 43).
 */
public final class DaemonSetController implements Controller {
    private static final String NAME = "daemonset-controller";
    private static final String RESOURCE = "daemonsets.apps";
    private static final Scope NODES = Scope.resource("nodes");

    private final PodAdmission admission;

    public DaemonSetController(PodAdmission admission) {
        this.admission = admission;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(
                Scope.resource(RESOURCE), Scope.resource("pods"), NODES, Scope.resource(RevisionHistory.RESOURCE));
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        switch (change.key().resource()) {
            case RESOURCE -> queue.enqueue(change.key());
            case "nodes" -> {
                if (change.isRemoval()
                        || before.map(Node::of)
                                .filter(was -> isSame(was, change))
                                .isEmpty()) {
                    world.stream(Scope.resource(RESOURCE)).forEach(each -> queue.enqueue(each.key()));
                }
            }
            default -> ControllerRefs.enqueueOwners(change, before, world, RESOURCE, queue);
        }
    }

    private static boolean isSame(Node was, Change change) {
        Node node = Node.of(change.object());
        return was.labels().equals(node.labels()) && was.spec().equals(node.spec());
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<Workload> found = world.get(key).map(Workload::of);
        Optional<LabelSelector> selector = found.flatMap(Workload::selector);
        if (selector.isEmpty()) {
            return Decision.none();
        }
        Workload set = found.get();
        List<Proposal> ownership = ControllerRefs.reconcile(world, set, selector.get(), NAME);
        if (!ownership.isEmpty()) {
            return Decision.of(ownership);
        }
        RevisionHistory history = new RevisionHistory(world, set, NAME);
        if (history.update().isEmpty() && !set.isBeingDeleted()) {
            return Decision.of(history.record(now));
        }
        return history.update()
                .map(update -> new DaemonSetSync(world, set, history, update, now).sync())
                .orElse(Decision.none());
    }

    /** Decides the next step of one DaemonSet. Used once. */
    private final class DaemonSetSync {
        private final World world;
        private final Workload set;
        private final RevisionHistory history;
        private final Workload update;
        private final Instant now;
        private final PodSteps steps;
        private final List<Pod> pods;
        private final ObjectNode template;
        private final Map<String, List<Pod>> byNode = new TreeMap<>();
        private final Set<String> wanted = new HashSet<>();
        private final Set<String> tolerated = new HashSet<>();

        DaemonSetSync(World world, Workload set, RevisionHistory history, Workload update, Instant now) {
            this.world = world;
            this.set = set;
            this.history = history;
            this.update = update;
            this.now = now;
            this.steps = new PodSteps(world, set, NAME, now);
            this.pods = ControllerRefs.pods(world, set);
            this.template = set.template().deepCopy();
            tolerate(template.withObject("/spec").withArray("tolerations"));
            pods.forEach(each -> byNode.computeIfAbsent(nodeOf(each), node -> new ArrayList<>())
                    .add(each));
            Tolerations tolerations = new Tolerations(template.path("spec").path("tolerations"));
            world.stream(NODES).map(Node::of).filter(this::isSelected).forEach(node -> {
                if (tolerations.toleratesNoExecute(node)) {
                    tolerated.add(node.name());
                }
                if (tolerations.tolerates(node)) {
                    wanted.add(node.name());
                }
            });
        }

        private boolean isSelected(Node node) {
            JsonNode spec = set.template().path("spec");
            String fixed = spec.path("nodeName").asText("");
            return (fixed.isEmpty() || fixed.equals(node.name()))
                    && spec.path("nodeSelector").properties().stream()
                            .allMatch(
                                    each -> each.getValue().equals(node.labels().path(each.getKey())))
                    && NodeSelector.required(spec.path("affinity")
                                    .path("nodeAffinity")
                                    .path("requiredDuringSchedulingIgnoredDuringExecution"))
                            .matches(node);
        }

        /** Adds the tolerations that Pods of every DaemonSet have. */
        private void tolerate(ArrayNode tolerations) {
            for (String taint : List.of("not-ready", "unreachable")) {
                add(tolerations, taint, "NoExecute");
            }
            for (String taint : List.of("disk-pressure", "memory-pressure", "pid-pressure", "unschedulable")) {
                add(tolerations, taint, "NoSchedule");
            }
            if (set.template().path("spec").path("hostNetwork").asBoolean(false)) {
                add(tolerations, "network-unavailable", "NoSchedule");
            }
        }

        private static void add(ArrayNode tolerations, String taint, String effect) {
            tolerations
                    .addObject()
                    .put("key", "node.kubernetes.io/" + taint)
                    .put("operator", "Exists")
                    .put("effect", effect);
        }

        /** Returns the node that a Pod runs on or is meant for; "" if it names none. */
        private static String nodeOf(Pod pod) {
            return pod.isScheduled()
                    ? pod.nodeName()
                    : pod.spec()
                            .at("/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution"
                                    + "/nodeSelectorTerms/0/matchFields/0/values/0")
                            .asText("");
        }

        Decision sync() {
            if (set.isBeingDeleted()) {
                return status();
            }
            return manage().or(this::rollingUpdate).or(this::cleanUp).orElseGet(this::status);
        }

        /** Removes Pods that should not run, and creates missing ones. */
        private Optional<Decision> manage() {
            for (Map.Entry<String, List<Pod>> each : byNode.entrySet()) {
                boolean stays = tolerated.contains(each.getKey());
                List<Pod> running = each.getValue().stream()
                        .filter(pod -> !pod.isBeingDeleted())
                        .sorted(Comparator.comparing(Pod::isFinished)
                                .thenComparing(pod -> !pod.isScheduled())
                                .thenComparing(Pod::created)
                                .thenComparing(Pod::name))
                        .toList();
                for (int i = 0; i < running.size(); i++) {
                    if (!stays || i > 0 || running.get(i).isFinished()) {
                        return Optional.of(delete(running.get(i)));
                    }
                }
            }
            for (String node : wanted.stream().sorted().toList()) {
                // A terminating Pod occupies its node: the next one starts when it has ended.
                if (byNode.getOrDefault(node, List.of()).isEmpty()) {
                    return Optional.of(create(node));
                }
            }
            return Optional.empty();
        }

        private Decision create(String node) {
            ObjectNode pod = PodTemplates.generated(world, set, template, now);
            pod.withObject("/metadata")
                    .withObject("/labels")
                    .put(RevisionHistory.POD_LABEL, RevisionHistory.hash(update));
            ObjectNode affinity =
                    pod.withObject("/spec").withObject("/affinity").withObject("/nodeAffinity");
            affinity.putObject("requiredDuringSchedulingIgnoredDuringExecution")
                    .putArray("nodeSelectorTerms")
                    .addObject()
                    .putArray("matchFields")
                    .addObject()
                    .put("key", "metadata.name")
                    .put("operator", "In")
                    .putArray("values")
                    .add(node);
            Optional<String> refusal = PodTemplates.refusal(world, pod, admission);
            return refusal.isPresent()
                    ? steps.failedCreate(next(pods), "Error creating: " + refusal.get())
                    : steps.create(pod, next(PodSteps.with(pods, pod)));
        }

        private Decision delete(Pod pod) {
            return delete(pod, List.of());
        }

        private Decision delete(Pod pod, List<Pod> counted) {
            return steps.delete(pod, next(PodSteps.without(pods, pod)), "Deleted pod: " + pod.name(), counted);
        }

        private boolean isUpdated(Pod pod) {
            return pod.labels().path(RevisionHistory.POD_LABEL).asText("").equals(RevisionHistory.hash(update));
        }

        private boolean isAvailable(Pod pod) {
            return pod.isActive() && pod.isAvailable(set.minReadySeconds(), now);
        }

        /** Deletes a Pod of an old template: first those that are not available, then as many as the limit allows. */
        private Optional<Decision> rollingUpdate() {
            JsonNode strategy = set.spec().path("updateStrategy");
            if (strategy.path("type").asText("").equals("OnDelete")) {
                return Optional.empty();
            }
            int limit = Math.max(
                    1, IntOrPercent.roundedUp(strategy.path("rollingUpdate").path("maxUnavailable"), wanted.size()));
            List<Pod> old = new ArrayList<>();
            int unavailable = 0;
            for (String node : wanted) {
                List<Pod> here = byNode.getOrDefault(node, List.of());
                unavailable += here.stream().anyMatch(this::isAvailable) ? 0 : 1;
                here.stream()
                        .filter(pod -> !pod.isBeingDeleted() && !isUpdated(pod))
                        .forEach(old::add);
            }
            old.sort(Comparator.comparing(this::isAvailable).thenComparing(Pod::name));
            boolean allowed = !old.isEmpty() && (!isAvailable(old.get(0)) || unavailable < limit);
            return allowed ? Optional.of(delete(old.get(0), pods)) : Optional.empty();
        }

        private Optional<Decision> cleanUp() {
            Set<String> used = new HashSet<>(Set.of(update.name()));
            pods.forEach(each ->
                    used.add(each.labels().path(RevisionHistory.POD_LABEL).asText("")));
            return history.cleanUp(used, now).map(Decision::of);
        }

        private Decision status() {
            return steps.status(next(pods), pods);
        }

        private ObjectNode next(List<Pod> counted) {
            int scheduled = 0;
            int ready = 0;
            int available = 0;
            int updated = 0;
            Set<String> misscheduled = new HashSet<>();
            for (Pod pod : counted) {
                if (!wanted.contains(nodeOf(pod))) {
                    misscheduled.add(nodeOf(pod));
                }
            }
            for (String node : wanted) {
                List<Pod> here = counted.stream()
                        .filter(pod -> nodeOf(pod).equals(node) && !pod.isBeingDeleted())
                        .toList();
                scheduled += here.isEmpty() ? 0 : 1;
                ready += here.stream().anyMatch(Pod::isReady) ? 1 : 0;
                available += here.stream().anyMatch(this::isAvailable) ? 1 : 0;
                updated += here.stream().anyMatch(this::isUpdated) ? 1 : 0;
            }
            ObjectNode next = set.copy();
            ObjectNode status = next.withObject("/status");
            status.put("currentNumberScheduled", scheduled);
            status.put("numberMisscheduled", misscheduled.size());
            status.put("desiredNumberScheduled", wanted.size());
            status.put("numberReady", ready);
            status.put("observedGeneration", (int) set.generation());
            PodSteps.putCount(status, "updatedNumberScheduled", updated);
            PodSteps.putCount(status, "numberAvailable", available);
            PodSteps.putCount(status, "numberUnavailable", wanted.size() - available);
            return next;
        }
    }
}
