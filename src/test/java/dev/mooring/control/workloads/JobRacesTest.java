package dev.mooring.control.workloads;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.view.Job;
import dev.mooring.model.view.Pod;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs the controllers of Jobs and CronJobs with lost races and kills: several instances decide on old Worlds, and an
 * instance is killed after some of its proposals. Checks the invariants after every event, and that injected faults
 * violate them. A failure names the seed.
 */
class JobRacesTest {
    private static final int PARALLELISM = 3;
    private static final int COMPLETIONS = 5;
    private static final int STEPS = 400;
    private static final ObjectKey JOB = ObjectKey.parse("jobs.batch/ns/once");
    private static final ObjectKey CRON = ObjectKey.parse("cronjobs.batch/ns/often");
    private static final String TEMPLATE = "spec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}";
    private static final String OBJECTS = """
        {kind: Namespace, metadata: {name: ns}}
        ---
        {apiVersion: batch/v1, kind: Job, metadata: {name: once, namespace: ns}, spec: {parallelism: 3, completions: 5,
         backoffLimit: 1000, selector: {matchLabels: {job: once}},
         template: {metadata: {labels: {job: once}}, TEMPLATE}}}
        ---
        {apiVersion: batch/v1, kind: CronJob, metadata: {name: often, namespace: ns,
         creationTimestamp: "2026-01-01T00:00:00Z"}, spec: {schedule: "* * * * *", successfulJobsHistoryLimit: 1,
         jobTemplate: {spec: {suspend: true, completions: 1, template: {TEMPLATE}}}}}
        """.replace("TEMPLATE", TEMPLATE);

    /** One run: a World, controllers with pending decisions, and the history that the invariants need. */
    private static final class RaceRun {
        private final Random random;
        private final UnaryOperator<Proposal> fault;
        private final List<List<Proposal>> pending = new ArrayList<>();
        private final Set<String> cronJobs = new HashSet<>();
        private final Set<String> countedPods = new HashSet<>();
        private final List<String> violations = new ArrayList<>();
        private World world = WorldFixture.of(OBJECTS);
        private Instant now = Instant.parse("2026-01-01T00:00:30Z");
        private int succeeded;

        RaceRun(long seed, UnaryOperator<Proposal> fault) {
            this.random = new Random(seed);
            this.fault = fault;
        }

        RaceRun run() {
            for (int i = 0; i < STEPS && violations.isEmpty(); i++) {
                switch (random.nextInt(8)) {
                    case 0, 1 -> decide(new JobController(WorkloadFixture.ADMISSION), JOB);
                    case 2 -> decide(new CronJobController(), CRON);
                    case 3, 4 -> deliver();
                    case 5 -> now = now.plusSeconds(random.nextInt(120) - 20);
                    case 6 -> changePod();
                    default -> endCronJob();
                }
            }
            return this;
        }

        private void decide(Controller controller, ObjectKey key) {
            Decision decision = controller.reconcile(world, key, now);
            pending.add(decision.proposals());
        }

        /** Delivers the proposals of some decision; sometimes its controller is killed after the first ones. */
        private void deliver() {
            if (pending.isEmpty()) {
                return;
            }
            List<Proposal> proposals = pending.remove(random.nextInt(pending.size()));
            int sent = random.nextInt(4) == 0 ? random.nextInt(proposals.size() + 1) : proposals.size();
            proposals.subList(0, sent).forEach(each -> commit(fault.apply(each)));
        }

        private void commit(Proposal proposal) {
            boolean holds = proposal.expectations().stream()
                    .allMatch(each ->
                            world.get(each.key()).map(found -> found.revision()).orElse(0L) == each.revision());
            boolean removes = proposal.writes().stream()
                    .anyMatch(each -> each instanceof Proposal.Remove
                            && world.get(each.key()).isEmpty());
            if (!holds || removes) {
                return;
            }
            World before = world;
            Event event = WorldFixture.event(world, proposal);
            world = world.after(event);
            event.changes().forEach(change -> check(before, change));
            checkCounts();
        }

        private void check(World before, Change change) {
            ObjectKey key = change.key();
            if (change.isCreation() && key.resource().equals(Job.RESOURCE) && !cronJobs.add(key.name())) {
                violations.add("CronJob started a time twice: " + key.name());
            }
            if (!key.resource().equals("pods")) {
                return;
            }
            Optional<Pod> was = before.get(key).map(Pod::of);
            boolean released = was.filter(pod -> pod.hasFinalizer(Job.TRACKING)).isPresent()
                    && (change.isRemoval() || !Pod.of(change.object()).hasFinalizer(Job.TRACKING));
            if (released
                    && was.get().phase().equals("Succeeded")
                    && countedPods.add(was.get().uid())) {
                succeeded++;
            }
        }

        private void checkCounts() {
            long active = world.stream(Scope.resource("pods"))
                    .filter(each -> Pod.of(each).isActive())
                    .count();
            int counted = Job.of(world.get(JOB).orElseThrow())
                    .status()
                    .path("succeeded")
                    .asInt(0);
            if (active > PARALLELISM) {
                violations.add(active + " active Pods");
            }
            if (counted > COMPLETIONS || counted != succeeded) {
                violations.add(counted + " successes in the status, " + succeeded + " counted Pods");
            }
        }

        /** A node reports the end of a Pod, or a user deletes it. */
        private void changePod() {
            List<Pod> active = world.stream(Scope.resource("pods"))
                    .map(Pod::of)
                    .filter(Pod::isActive)
                    .toList();
            if (active.isEmpty()) {
                return;
            }
            Pod pod = active.get(random.nextInt(active.size()));
            ObjectNode next = pod.copy();
            int what = random.nextInt(6);
            if (what == 0) {
                next.withObject("/metadata").put("deletionTimestamp", now.toString());
            } else {
                next.withObject("/status").put("phase", what == 1 ? "Failed" : "Succeeded");
            }
            world = WorldFixture.put(world, next);
        }

        private void endCronJob() {
            world.stream(Scope.resource(Job.RESOURCE))
                    .map(Job::of)
                    .filter(job -> !job.key().equals(JOB) && job.end().isEmpty())
                    .findFirst()
                    .ifPresent(job -> {
                        ObjectNode next = job.copy();
                        next.withObject("/status")
                                .putArray("conditions")
                                .addObject()
                                .put("type", Job.COMPLETE)
                                .put("status", "True")
                                .put("lastTransitionTime", now.toString());
                        world = WorldFixture.put(world, next);
                    });
        }

        /** Runs the controllers without races until they are settled. */
        RaceRun settle() {
            pending.clear();
            for (int i = 0; i < 200 && violations.isEmpty(); i++) {
                now = now.plus(Duration.ofMinutes(11));
                new JobController(WorkloadFixture.ADMISSION)
                        .reconcile(world, JOB, now)
                        .proposals()
                        .forEach(this::commit);
                if (i % 4 == 3) {
                    for (Pod pod : world.stream(Scope.resource("pods"))
                            .map(Pod::of)
                            .filter(Pod::isActive)
                            .toList()) {
                        ObjectNode next = pod.copy();
                        next.withObject("/status").put("phase", "Succeeded");
                        world = WorldFixture.put(world, next);
                    }
                }
                world.stream(Scope.resource("pods"))
                        .map(Pod::of)
                        .filter(Pod::isBeingDeleted)
                        .toList()
                        .forEach(pod -> {
                            if (!pod.hasFinalizer(Job.TRACKING)) {
                                world = WorldFixture.after(
                                        world,
                                        Proposal.by("node", "PodDeleted")
                                                .remove(pod.stored())
                                                .build());
                            }
                        });
            }
            return this;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void racesAndKills_violateNoInvariant_andTheJobCompletes(long seed) {
        RaceRun run = new RaceRun(seed, UnaryOperator.identity()).run();
        assertThat(run.violations).as("seed %d", seed).isEmpty();
        assertThat(run.cronJobs).as("seed %d", seed).isNotEmpty();
        run.settle();
        assertThat(run.violations).as("seed %d, after the races", seed).isEmpty();
        Job job = Job.of(run.world.get(JOB).orElseThrow());
        assertThat(job.status().path("succeeded").asInt()).isEqualTo(COMPLETIONS);
        assertThat(job.end()).as("seed %d", seed).contains(Job.COMPLETE);
    }

    private static void assertDetected(UnaryOperator<Proposal> fault) {
        for (long seed = 1; seed <= 100; seed++) {
            if (!new RaceRun(seed, fault).run().violations.isEmpty()) {
                return;
            }
        }
        throw new AssertionError("The injected fault was not detected in 100 runs");
    }

    private static Proposal of(
            Proposal proposal, List<Proposal.Write> writes, List<Proposal.Expectation> expectations) {
        return new Proposal(
                proposal.type(), proposal.actor(), proposal.cause(), writes, expectations, proposal.allowance());
    }

    @Test
    void injectedFault_revisionOfTheJobNotExpected_isDetected() {
        assertDetected(proposal -> of(
                proposal,
                proposal.writes(),
                proposal.expectations().stream()
                        .filter(each -> !each.key().equals(JOB))
                        .toList()));
    }

    @Test
    void injectedFault_countedPodKeepsItsFinalizer_isDetected() {
        assertDetected(proposal -> proposal.type().equals("PodFinalizerRemoved")
                        && proposal.writes().size() == 2
                ? of(proposal, proposal.writes().subList(1, 2), proposal.expectations())
                : proposal);
    }

    @Test
    void injectedFault_lastScheduleTimeNotWritten_isDetected() {
        assertDetected(proposal -> proposal.type().equals("JobCreated")
                ? of(proposal, proposal.writes().subList(0, 1), proposal.expectations())
                : proposal);
    }
}
