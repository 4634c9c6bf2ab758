package dev.mooring.control.workloads;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.EventProposals;
import dev.mooring.control.ObjectDeleter;
import dev.mooring.model.Change;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Job;
import dev.mooring.model.view.Pod;
import dev.mooring.world.Indexes;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The Job controller: runs Pods until enough of them have succeeded.
 *
 * <p>Each step changes one Pod and writes the Job's status in the same event, with the revision of the Job as
 * precondition. A Pod has the finalizer {@link Job#TRACKING} until it is counted; the event that counts it removes the
 * finalizer, so no Pod is counted twice or lost.
 *
 * <p>Keyed by Job, and by Pod for the finalizers of Pods whose Job is gone.
 */
public final class JobController implements Controller {
    private static final String NAME = "job-controller";
    private static final String PODS = "pods";
    private static final String SUSPENDED = "Suspended";
    private static final String SUCCESS_CRITERIA_MET = "SuccessCriteriaMet";
    private static final String FAILURE_TARGET = "FailureTarget";
    private static final Duration MIN_BACKOFF = Duration.ofSeconds(10);
    private static final Duration MAX_BACKOFF = Duration.ofMinutes(10);

    private final PodAdmission admission;

    public JobController(PodAdmission admission) {
        this.admission = admission;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(Scope.resource(Job.RESOURCE), Scope.resource(PODS));
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        if (change.key().resource().equals(Job.RESOURCE)) {
            queue.enqueue(change.key());
            if (change.isRemoval()) {
                world.find(Indexes.PODS_BY_CONTROLLER, Job.of(change.object()).uid())
                        .forEach(each -> queue.enqueue(each.key()));
            }
            return;
        }
        ControllerRefs.enqueueOwners(change, before, world, Job.RESOURCE, queue);
        if (change.object().containsText(Job.TRACKING)) {
            queue.enqueue(change.key());
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        if (key.resource().equals(PODS)) {
            return world.get(key)
                    .map(Pod::of)
                    .map(pod -> releaseOrphan(world, pod))
                    .orElse(Decision.none());
        }
        Optional<Workload> found = world.get(key).map(Workload::of);
        if (found.isEmpty() || found.get().selector().isEmpty()) {
            return Decision.none();
        }
        List<Proposal> ownership = ControllerRefs.reconcile(
                world, found.get(), found.get().selector().get(), NAME);
        return ownership.isEmpty() ? new JobSync(world, found.get(), now).decide() : Decision.of(ownership);
    }

    /** Removes the finalizer of a Pod whose Job no longer exists: it will not be counted. */
    private static Decision releaseOrphan(World world, Pod pod) {
        boolean hasJob = ControllerRefs.controllerKey(pod, Job.RESOURCE)
                .flatMap(world::get)
                .filter(job -> Job.of(job).uid().equals(pod.controllerUid()))
                .isPresent();
        return hasJob || !pod.hasFinalizer(Job.TRACKING)
                ? Decision.none()
                : Decision.of(
                        new ObjectDeleter(NAME, pod.cause()).removeFinalizer(pod.stored(), pod.copy(), Job.TRACKING));
    }

    /** The decision about one Job. */
    private final class JobSync {
        private final World world;
        private final Workload workload;
        private final Job job;
        private final Instant now;
        private final List<Pod> pods;
        private final PodSteps steps;

        JobSync(World world, Workload workload, Instant now) {
            this.world = world;
            this.workload = workload;
            this.job = Job.of(workload.stored());
            this.now = now;
            this.pods = ControllerRefs.pods(world, workload);
            this.steps = new PodSteps(world, workload, NAME, now);
        }

        Decision decide() {
            Optional<Pod> uncounted = pods.stream()
                    .filter(pod -> pod.hasFinalizer(Job.TRACKING) && (job.isBeingDeleted() || hasEnded(pod)))
                    .findFirst();
            if (uncounted.isPresent()) {
                return count(uncounted.get());
            }
            if (job.isBeingDeleted()) {
                return Decision.none();
            }
            if (job.end().isPresent()) {
                return expire();
            }
            Optional<Decision> end = failure().map(why -> fail(why.getKey(), why.getValue()));
            if (end.isEmpty() && isSuccessful()) {
                end = Optional.of(complete());
            }
            if (end.isPresent()) {
                return end.get();
            }
            return job.isSuspended() ? suspend() : run();
        }

        /** Returns whether a Pod counts: it has finished, or was deleted and is replaced at once. */
        private boolean hasEnded(Pod pod) {
            boolean replaces =
                    !job.spec().path("podReplacementPolicy").asText("").equals(Job.FAILED);
            return pod.isFinished() || (pod.isBeingDeleted() && (replaces || !pod.isScheduled()));
        }

        /** Counts a Pod and removes its finalizer, in one event. */
        private Decision count(Pod pod) {
            ObjectNode next = status();
            ObjectNode status = next.withObject("/status");
            if (job.end().isEmpty() && !job.isBeingDeleted()) {
                boolean succeeded = pod.phase().equals("Succeeded");
                if (succeeded && job.isIndexed()) {
                    BitSet done = completedIndexes();
                    index(pod).ifPresent(done::set);
                    status.put("completedIndexes", Job.text(done));
                    PodSteps.putCount(status, "succeeded", done.cardinality());
                } else {
                    String field = succeeded ? "succeeded" : "failed";
                    status.put(field, status.path(field).asInt(0) + 1);
                }
            }
            Proposal released =
                    new ObjectDeleter(NAME, job.cause()).removeFinalizer(pod.stored(), pod.copy(), Job.TRACKING);
            return Decision.of(steps.withStatus(released, next));
        }

        /** Returns the Job with the counts of its Pods. */
        private ObjectNode status() {
            return status(pods);
        }

        private ObjectNode status(List<Pod> counted) {
            ObjectNode next = workload.copy();
            ObjectNode status = next.withObject("/status");
            long terminating = counted.stream()
                    .filter(pod -> pod.isBeingDeleted() && !pod.isFinished())
                    .count();
            PodSteps.putCount(status, "active", (int)
                    counted.stream().filter(Pod::isActive).count());
            status.put("terminating", (int) terminating);
            status.put("ready", (int) counted.stream()
                    .filter(pod -> pod.isActive() && pod.isReady())
                    .count());
            status.putObject("uncountedTerminatedPods");
            return next;
        }

        private List<Pod> active() {
            return pods.stream().filter(Pod::isActive).toList();
        }

        /** Deletes the ended Job after {@code ttlSecondsAfterFinished}. */
        private Decision expire() {
            if (!active().isEmpty()) {
                return deleteUncounted(active().get(0));
            }
            Decision decision = steps.status(status());
            JsonNode ttl = job.spec().path("ttlSecondsAfterFinished");
            if (!ttl.isNumber() || !decision.proposals().isEmpty()) {
                return decision;
            }
            Instant due = job.ended().plusSeconds(ttl.asLong());
            return due.isAfter(now)
                    ? decision.requeueAt(due, now)
                    : Decision.of(new ObjectDeleter(NAME, job.cause()).delete(job.stored(), job.copy(), now));
        }

        /** Returns reason and message of a failure; empty if the Job has not failed. */
        private Optional<Map.Entry<String, String>> failure() {
            JsonNode target = job.condition(FAILURE_TARGET);
            if (job.hasCondition(FAILURE_TARGET)) {
                return Optional.of(Map.entry(
                        target.path("reason").asText(""), target.path("message").asText("")));
            }
            if (job.hasCondition(SUCCESS_CRITERIA_MET)) {
                return Optional.empty();
            }
            int limit = job.spec().path("backoffLimit").asInt(6);
            int failed = job.status().path("failed").asInt(0);
            if (failed > limit || restarts() > limit) {
                return Optional.of(
                        Map.entry(EventReasons.BACKOFF_LIMIT_EXCEEDED, "Job has reached the specified backoff limit"));
            }
            return deadline()
                    .filter(due -> !due.isAfter(now))
                    .map(due ->
                            Map.entry(EventReasons.DEADLINE_EXCEEDED, "Job was active longer than specified deadline"));
        }

        /** Returns the restarts of containers in Pods that restart their containers themselves. */
        private int restarts() {
            int restarts = 0;
            if (workload.template()
                    .path("spec")
                    .path("restartPolicy")
                    .asText("")
                    .equals("OnFailure")) {
                for (Pod pod : active()) {
                    for (String list : List.of("initContainerStatuses", "containerStatuses")) {
                        for (JsonNode each : pod.status().path(list)) {
                            restarts += each.path("restartCount").asInt(0);
                        }
                    }
                }
            }
            return restarts;
        }

        private Optional<Instant> deadline() {
            JsonNode seconds = job.spec().path("activeDeadlineSeconds");
            return seconds.isNumber() && !job.isSuspended()
                    ? job.started().map(start -> start.plusSeconds(seconds.asLong()))
                    : Optional.empty();
        }

        private boolean isSuccessful() {
            int succeeded = job.status().path("succeeded").asInt(0);
            return job.completions().isPresent()
                    ? succeeded >= job.completions().getAsInt()
                    : succeeded > 0 && active().isEmpty();
        }

        /** Deletes the active Pods, which count as failed, and then ends the Job. */
        private Decision fail(String reason, String message) {
            ObjectNode next = status();
            Conditions.put(next, FAILURE_TARGET, "True", reason, message, now);
            if (!active().isEmpty()) {
                Pod pod = active().get(0);
                ObjectNode after = status(PodSteps.without(pods, pod));
                Conditions.put(after, FAILURE_TARGET, "True", reason, message, now);
                return steps.delete(pod, after);
            }
            if (isTerminating()) {
                return steps.status(next);
            }
            Conditions.put(next, Job.FAILED, "True", reason, message, now);
            return withEvent(steps.status(next), KubeEvent.Type.WARNING, reason, message);
        }

        /** Deletes the Pods that are still active and ends the Job. */
        private Decision complete() {
            String reason = "CompletionsReached";
            String message = "Reached expected number of succeeded pods";
            if (!active().isEmpty()) {
                return deleteUncounted(active().get(0));
            }
            ObjectNode next = status();
            Conditions.put(next, SUCCESS_CRITERIA_MET, "True", reason, message, now);
            if (isTerminating()) {
                return steps.status(next);
            }
            Conditions.put(next, Job.COMPLETE, "True", reason, message, now);
            next.withObject("/status").put("completionTime", seconds(now));
            return withEvent(steps.status(next), KubeEvent.Type.NORMAL, EventReasons.COMPLETED, "Job completed");
        }

        private boolean isTerminating() {
            return pods.stream().anyMatch(pod -> pod.isBeingDeleted() && !pod.isFinished());
        }

        private Decision suspend() {
            if (!active().isEmpty()) {
                return deleteUncounted(active().get(0));
            }
            ObjectNode next = status();
            next.withObject("/status").remove("startTime");
            boolean changed = Conditions.put(next, SUSPENDED, "True", "JobSuspended", "Job suspended", now);
            Decision decision = steps.status(next);
            return changed
                    ? withEvent(decision, KubeEvent.Type.NORMAL, EventReasons.SUSPENDED, "Job suspended")
                    : decision;
        }

        /** Deletes a Pod that the Job no longer needs: it counts neither as succeeded nor as failed. */
        private Decision deleteUncounted(Pod pod) {
            ObjectNode object = pod.copy();
            ObjectDeleter.removeText((ObjectNode) object.get("metadata"), "finalizers", Job.TRACKING);
            ObjectNode next = status(PodSteps.without(pods, pod));
            Optional<Proposal> deletion = new ObjectDeleter(NAME, job.cause()).delete(pod.stored(), object, now);
            return deletion.map(each -> withEvent(
                            Decision.of(steps.withStatus(each, next)),
                            KubeEvent.Type.NORMAL,
                            EventReasons.SUCCESSFUL_DELETE,
                            "Deleted pod: " + pod.name()))
                    .orElseGet(() -> steps.status(next));
        }

        private Decision run() {
            ObjectNode next = status();
            boolean resumed = job.hasCondition(SUSPENDED);
            if (resumed || job.started().isEmpty()) {
                next.withObject("/status").put("startTime", seconds(now));
                if (resumed) {
                    Conditions.put(next, SUSPENDED, "False", "JobResumed", "Job resumed", now);
                    return withEvent(steps.status(next), KubeEvent.Type.NORMAL, EventReasons.RESUMED, "Job resumed");
                }
                return steps.status(next);
            }
            int succeeded = job.status().path("succeeded").asInt(0);
            int wanted = job.completions().isPresent()
                    ? Math.min(job.parallelism(), job.completions().getAsInt() - succeeded)
                    : succeeded > 0 ? Math.min(job.parallelism(), active().size()) : job.parallelism();
            if (active().size() > wanted) {
                return deleteUncounted(DeletionOrder.first(active()));
            }
            boolean waits = job.spec().path("podReplacementPolicy").asText("").equals(Job.FAILED);
            long running =
                    waits ? pods.stream().filter(pod -> !pod.isFinished()).count() : active().size();
            Optional<Instant> start = backoffEnd().filter(due -> due.isAfter(now));
            if (running < wanted && start.isEmpty()) {
                return create();
            }
            Decision decision = steps.status(next);
            Optional<Instant> due = running < wanted
                    ? start.filter(at -> deadline().filter(at::isAfter).isEmpty())
                            .or(this::deadline)
                    : deadline();
            return due.map(at -> decision.requeueAt(at, now)).orElse(decision);
        }

        private Decision create() {
            ObjectNode pod = PodTemplates.generated(world, workload, workload.template(), now);
            ObjectNode metadata = (ObjectNode) pod.get("metadata");
            metadata.withArray("finalizers").add(Job.TRACKING);
            if (job.isIndexed()) {
                addIndex(pod, nextIndex());
            }
            Optional<String> refusal = PodTemplates.refusal(world, pod, admission);
            return refusal.isPresent()
                    ? steps.failedCreate(status(), "Error creating: " + refusal.get())
                    : steps.create(pod, status(PodSteps.with(pods, pod)));
        }

        /** Makes the Pod that of a completion index, as in Kubernetes: annotation, label, host name and variable. */
        private void addIndex(ObjectNode pod, int index) {
            ObjectNode metadata = (ObjectNode) pod.get("metadata");
            String generated = metadata.path("name").asText();
            String prefix = job.name() + '-' + index + '-';
            metadata.put("name", prefix + generated.substring(generated.lastIndexOf('-') + 1))
                    .put("generateName", prefix);
            metadata.withObject("/annotations").put(Job.COMPLETION_INDEX, Integer.toString(index));
            metadata.withObject("/labels").put(Job.COMPLETION_INDEX, Integer.toString(index));
            ObjectNode spec = (ObjectNode) pod.get("spec");
            spec.put("hostname", job.name() + '-' + index);
            for (String list : List.of("initContainers", "containers")) {
                for (JsonNode container : spec.path(list)) {
                    boolean isSet = false;
                    for (JsonNode variable : container.path("env")) {
                        isSet |= variable.path("name").asText("").equals("JOB_COMPLETION_INDEX");
                    }
                    if (!isSet) {
                        ((ObjectNode) container)
                                .withArray("env")
                                .addObject()
                                .put("name", "JOB_COMPLETION_INDEX")
                                .put("value", Integer.toString(index));
                    }
                }
            }
        }

        /** Returns the lowest index that has neither succeeded nor an active Pod. */
        private int nextIndex() {
            BitSet taken = completedIndexes();
            active().forEach(pod -> index(pod).ifPresent(taken::set));
            return taken.nextClearBit(0);
        }

        private Optional<Integer> index(Pod pod) {
            try {
                return pod.annotation(Job.COMPLETION_INDEX)
                        .map(Integer::parseInt)
                        .filter(index -> index >= 0 && index < job.completions().orElse(0));
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        }

        private BitSet completedIndexes() {
            BitSet indexes = new BitSet();
            String ranges = job.status().path("completedIndexes").asText("");
            for (String range : ranges.isEmpty() ? new String[0] : ranges.split(",", -1)) {
                String[] ends = range.split("-", -1);
                indexes.set(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]) + 1);
            }
            return indexes;
        }

        /** Returns when the next Pod may be created after failures: 10 s, doubled for each one, at most 10 min. */
        private Optional<Instant> backoffEnd() {
            Instant lastSuccess = pods.stream()
                    .filter(pod -> pod.phase().equals("Succeeded"))
                    .map(this::finished)
                    .max(Comparator.naturalOrder())
                    .orElse(Instant.EPOCH);
            List<Instant> failures = pods.stream()
                    .filter(pod -> pod.phase().equals(Job.FAILED))
                    .map(this::finished)
                    .filter(time -> time.isAfter(lastSuccess))
                    .sorted()
                    .toList();
            if (failures.isEmpty()) {
                return Optional.empty();
            }
            Duration delay = MIN_BACKOFF.multipliedBy(1L << Math.min(failures.size() - 1, 10));
            Instant last = failures.get(failures.size() - 1);
            // A clock that was set back must not delay the Job longer than the back-off itself.
            Instant from = last.isAfter(now) ? now : last;
            return Optional.of(from.plus(delay.compareTo(MAX_BACKOFF) > 0 ? MAX_BACKOFF : delay));
        }

        private Instant finished(Pod pod) {
            List<Instant> times = new ArrayList<>();
            for (JsonNode each : pod.status().path("containerStatuses")) {
                String text =
                        each.path("state").path("terminated").path("finishedAt").asText("");
                try {
                    times.add(OffsetDateTime.parse(text).toInstant());
                } catch (DateTimeParseException e) {
                    // The container has not run; the Pod's creation bounds the time.
                }
            }
            return times.stream().max(Comparator.naturalOrder()).orElseGet(pod::created);
        }

        private Decision withEvent(Decision decision, KubeEvent.Type type, String reason, String message) {
            List<Proposal> proposals = new ArrayList<>(decision.proposals());
            KubeEvent.InvolvedObject involved = KubeEvent.InvolvedObject.of(job.tree());
            KubeEvent kubeEvent = new KubeEvent(involved, type, reason, message, NAME);
            EventProposals.recordEvent(world, kubeEvent, job.cause(), now).ifPresent(proposals::add);
            return new Decision(proposals, List.of(), decision.requeueAfter());
        }
    }

    private static String seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
