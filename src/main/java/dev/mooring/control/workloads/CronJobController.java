package dev.mooring.control.workloads;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.EventProposals;
import dev.mooring.control.ObjectDeleter;
import dev.mooring.model.Change;
import dev.mooring.model.CronSchedule;
import dev.mooring.model.CronSchedule.MissedTimes;
import dev.mooring.model.Draft;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Job;
import dev.mooring.world.Index;
import dev.mooring.world.Indexes;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The CronJob controller: creates a Job at each time of a schedule.
 *
 * <p>The name of a Job contains its scheduled time, and the event that creates it writes {@code lastScheduleTime} with
 * the revision of the CronJob as precondition. So no time starts two Jobs, even if the clock is set back. Of several
 * missed times only the newest one is made up for.
 */
public final class CronJobController implements Controller {
    public static final String RESOURCE = "cronjobs.batch";
    private static final String NAME = "cronjob-controller";
    private static final Index<String> JOBS_BY_CONTROLLER =
            Indexes.byController("Jobs by controller", Scope.resource(Job.RESOURCE));
    private static final String TOO_MANY =
            "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(Scope.resource(RESOURCE), Scope.resource(Job.RESOURCE));
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        if (change.key().resource().equals(RESOURCE)) {
            queue.enqueue(change.key());
        } else {
            before.flatMap(each -> ControllerRefs.controllerKey(Job.of(each), RESOURCE))
                    .ifPresent(queue::enqueue);
            ControllerRefs.controllerKey(Job.of(change.object()), RESOURCE).ifPresent(queue::enqueue);
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        return world.get(key)
                .map(Workload::of)
                .map(cronJob -> new CronSync(world, cronJob, now).decide())
                .orElse(Decision.none());
    }

    /** The decision about one CronJob. */
    private static final class CronSync {
        private final World world;
        private final Workload cronJob;
        private final Instant now;
        private final List<Job> jobs;
        private final List<Proposal> proposals = new ArrayList<>();

        CronSync(World world, Workload cronJob, Instant now) {
            this.world = world;
            this.cronJob = cronJob;
            this.now = now;
            this.jobs = world.find(JOBS_BY_CONTROLLER, cronJob.uid()).stream()
                    .filter(each -> each.key().namespace().equals(cronJob.key().namespace()))
                    .map(Job::of)
                    .sorted(Comparator.comparing(Job::created).thenComparing(Job::name))
                    .toList();
        }

        Decision decide() {
            if (cronJob.isBeingDeleted()) {
                return Decision.none();
            }
            removeOldJobs("successfulJobsHistoryLimit", 3, Job.COMPLETE);
            removeOldJobs("failedJobsHistoryLimit", 1, Job.FAILED);
            reportEnded();
            ObjectNode next = status();
            if (cronJob.spec().path("suspend").asBoolean(false)) {
                return write(next, Optional.empty());
            }
            CronSchedule schedule;
            ZoneId zone;
            try {
                schedule = CronSchedule.parse(cronJob.spec().path("schedule").asText(""));
                String name = cronJob.spec().path("timeZone").asText("");
                zone = name.isEmpty() ? ZoneOffset.UTC : ZoneId.of(name);
            } catch (CronSchedule.MalformedScheduleException | DateTimeException e) {
                event(KubeEvent.Type.WARNING, EventReasons.INVALID_SCHEDULE, "invalid schedule: " + e.getMessage());
                return write(next, Optional.empty());
            }
            Instant last = lastSchedule().orElseGet(cronJob::created);
            // A clock that was set back does not repeat times that have started.
            Optional<Instant> following = schedule.next(last.isAfter(now) ? last : now, zone);
            return schedule.missed(earliest(last), now, zone)
                    .map(missed -> start(missed, next, following))
                    .orElseGet(() -> write(next, following));
        }

        private Optional<Instant> lastSchedule() {
            JsonNode time = cronJob.status().path("lastScheduleTime");
            try {
                return time.isTextual() ? Optional.of(Instant.parse(time.asText())) : Optional.empty();
            } catch (DateTimeException e) {
                return Optional.empty();
            }
        }

        /** Returns the time after which a run is made up for. */
        private Instant earliest(Instant last) {
            JsonNode deadline = cronJob.spec().path("startingDeadlineSeconds");
            Instant bound = deadline.isNumber() ? now.minusSeconds(deadline.asLong()) : Instant.EPOCH;
            return last.isBefore(bound) ? bound : last;
        }

        private Decision start(MissedTimes missed, ObjectNode next, Optional<Instant> following) {
            String name = cronJob.name() + '-' + missed.last().getEpochSecond() / 60;
            ObjectKey key = Job.key(cronJob.namespace(), name);
            if (missed.tooMany()) {
                event(KubeEvent.Type.WARNING, EventReasons.TOO_MANY_MISSED_TIMES, TOO_MANY);
            }
            List<Job> active = active();
            String policy = cronJob.spec().path("concurrencyPolicy").asText("Allow");
            if (world.get(key).isPresent()) {
                setLastSchedule(next, missed.last());
                return write(next, following);
            }
            if (!active.isEmpty() && policy.equals("Forbid")) {
                event(
                        KubeEvent.Type.NORMAL,
                        EventReasons.JOB_ALREADY_ACTIVE,
                        "Not starting job because prior execution is running and concurrency policy is Forbid");
                return write(next, following);
            }
            if (!active.isEmpty() && policy.equals("Replace")) {
                // The deletion of the last one reconciles the CronJob again.
                active.forEach(this::delete);
                return done(following);
            }
            return create(key, missed, next, following);
        }

        private Decision create(ObjectKey key, MissedTimes missed, ObjectNode next, Optional<Instant> following) {
            ObjectNode job = job(key, missed.last());
            setLastSchedule(next, missed.last());
            next.withObject("/status").withArray("active").add(reference(key.name(), uid(job)));
            Proposal.Builder proposal = Proposal.by(NAME, "JobCreated")
                    .because(cronJob.cause())
                    .within(Proposal.Allowance.USER)
                    .create(Draft.of(key, job))
                    .replace(cronJob.stored(), Draft.of(cronJob.key(), next));
            world.get(ObjectKey.clusterWide("namespaces", cronJob.namespace())).ifPresent(proposal::expect);
            proposals.add(proposal.build());
            event(KubeEvent.Type.NORMAL, EventReasons.SUCCESSFUL_CREATE, "Created job " + key.name());
            return done(following);
        }

        private static String uid(ObjectNode object) {
            return object.path("metadata").path("uid").asText();
        }

        /** Returns the Job of a scheduled time. The template has its defaults since the CronJob was written. */
        private ObjectNode job(ObjectKey key, Instant scheduled) {
            JsonNode template = cronJob.spec().path("jobTemplate");
            ObjectNode job = JsonNodeFactory.instance.objectNode();
            job.put("kind", "Job").put("apiVersion", "batch/v1");
            ObjectNode metadata = PodTemplates.metadata(world, cronJob, key, now);
            metadata.put("generation", 1);
            for (String field : List.of("labels", "annotations")) {
                if (!template.path("metadata").path(field).isEmpty()) {
                    metadata.set(field, template.path("metadata").path(field).deepCopy());
                }
            }
            metadata.withObject("/annotations")
                    .put("batch.kubernetes.io/cronjob-scheduled-timestamp", scheduled.toString());
            metadata.putArray("ownerReferences").add(PodTemplates.controllerRef(cronJob));
            job.set("metadata", metadata);
            job.set("spec", template.path("spec").deepCopy());
            Job.generateSelector(job);
            return job;
        }

        private List<Job> active() {
            return jobs.stream().filter(job -> job.end().isEmpty()).toList();
        }

        /** Returns the CronJob with its active Jobs and the time of its last success. */
        private ObjectNode status() {
            ObjectNode next = cronJob.copy();
            ObjectNode status = next.withObject("/status");
            status.remove("active");
            for (Job job : active()) {
                status.withArray("active").add(reference(job.name(), job.uid()));
            }
            jobs.stream()
                    .filter(job -> job.hasCondition(Job.COMPLETE))
                    .map(Job::ended)
                    .max(Comparator.naturalOrder())
                    .map(Instant::toString)
                    .filter(time ->
                            time.compareTo(status.path("lastSuccessfulTime").asText("")) > 0)
                    .ifPresent(time -> status.put("lastSuccessfulTime", time));
            return next;
        }

        private ObjectNode reference(String name, String uid) {
            return JsonNodeFactory.instance
                    .objectNode()
                    .put("kind", "Job")
                    .put("namespace", cronJob.namespace())
                    .put("name", name)
                    .put("uid", uid)
                    .put("apiVersion", "batch/v1");
        }

        private static void setLastSchedule(ObjectNode next, Instant time) {
            next.withObject("/status")
                    .put(
                            "lastScheduleTime",
                            time.truncatedTo(ChronoUnit.SECONDS).toString());
        }

        private void reportEnded() {
            for (JsonNode each : cronJob.status().path("active")) {
                jobs.stream()
                        .filter(job -> job.uid().equals(each.path("uid").asText(""))
                                && job.end().isPresent())
                        .forEach(job -> event(
                                KubeEvent.Type.NORMAL,
                                EventReasons.SAW_COMPLETED_JOB,
                                "Saw completed job: " + job.name() + ", condition: "
                                        + job.end().get()));
            }
        }

        /** Deletes the oldest ended Jobs above a limit. */
        private void removeOldJobs(String field, int missing, String condition) {
            List<Job> ended = jobs.stream()
                    .filter(job -> job.hasCondition(condition) && !job.isBeingDeleted())
                    .toList();
            int limit = cronJob.spec().path(field).asInt(missing);
            ended.stream().limit(Math.max(0, ended.size() - limit)).forEach(this::delete);
        }

        private void delete(Job job) {
            new ObjectDeleter(NAME, cronJob.cause())
                    .delete(job.stored(), job.copy(), now)
                    .ifPresent(proposal -> {
                        proposals.add(proposal);
                        event(KubeEvent.Type.NORMAL, EventReasons.SUCCESSFUL_DELETE, "Deleted job " + job.name());
                    });
        }

        private void event(KubeEvent.Type type, String reason, String message) {
            KubeEvent kubeEvent =
                    new KubeEvent(KubeEvent.InvolvedObject.of(cronJob.tree()), type, reason, message, NAME);
            EventProposals.recordEventOnce(world, kubeEvent, cronJob.cause(), now)
                    .ifPresent(proposals::add);
        }

        private Decision write(ObjectNode next, Optional<Instant> following) {
            if (!next.equals(cronJob.tree())) {
                proposals.add(Proposal.by(NAME, "CronJobStatusUpdated")
                        .because(cronJob.cause())
                        .replace(cronJob.stored(), Draft.of(cronJob.key(), next))
                        .build());
            }
            return done(following);
        }

        private Decision done(Optional<Instant> following) {
            Decision decision = Decision.of(proposals);
            return following.map(time -> decision.requeueAt(time, now)).orElse(decision);
        }
    }
}
