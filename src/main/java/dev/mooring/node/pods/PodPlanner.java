package dev.mooring.node.pods;

import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.node.container.ContainerSpecs;
import dev.mooring.node.container.ImageState;
import dev.mooring.node.container.ObservedContainer;
import dev.mooring.node.container.ObservedPod;
import dev.mooring.node.pods.PodPlannerInput.PlannedContainer;
import dev.mooring.node.probe.ProbeManager;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import dev.mooring.runtime.ContainerLabels;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Decides the next actions for a running Pod. The sandbox is started at once, because it uses no volumes; containers
 * are created when all volumes are mounted and the image is present, and started when the sandbox runs. Pure; any
 * thread.
 */
final class PodPlanner {
    static final String CREATING = "ContainerCreating";
    static final String INITIALIZING = "PodInitializing";
    private static final String CRASH_LOOP = "CrashLoopBackOff";

    /** The engine's clock may be slightly ahead, if it runs on another machine. */
    private static final Duration CLOCK_SKEW = Duration.ofMinutes(1);

    /** A sandbox that ends sooner than this counts as crashed, because a sandbox never ends by itself. */
    private static final Duration SANDBOX_STABLE_AFTER = Duration.ofSeconds(10);

    private final PodPlannerInput input;
    private final PodPlan plan = new PodPlan();
    private final List<ContainerFacts> obsolete = new ArrayList<>();
    private final List<PlannedContainer> inits;
    private final List<PlannedContainer> containers;
    private final List<PlannedContainer> ephemeral;

    private PodPlanner(PodPlannerInput input) {
        this.input = input;
        this.inits = input.containers("initContainers");
        this.containers = input.containers("containers");
        this.ephemeral = input.containers("ephemeralContainers");
    }

    static PodPlan plan(PodPlannerInput input) {
        PodPlanner planner = new PodPlanner(input);
        planner.decide();
        return planner.plan;
    }

    private void decide() {
        if (input.pod().isBeingDeleted() || input.pod().isFinished()) {
            new PodTerminationPlanner(input, plan).decide();
            return;
        }
        Optional<ObservedPod.PodFailure> rejection =
                input.sandbox().isEmpty() ? ContainerSpecs.rejection(input.pod()) : Optional.empty();
        if (rejection.isPresent()) {
            plan.setFailure(
                    rejection.get().reason(),
                    "Pod was rejected: " + rejection.get().message());
            return;
        }
        if (isDeadlineExceeded()) {
            plan.setFailure("DeadlineExceeded", "Pod was active on the node longer than the specified deadline");
            new PodTerminationPlanner(input, plan).decide();
            return;
        }
        if (isDone()) {
            // The Pod's phase becomes final; sidecars have no reason to continue.
            new PodTerminationPlanner(input, plan).stopAll();
            return;
        }
        if (stopObsoleteContainers()) {
            setAllWaiting();
            return;
        }
        sandbox();
        run();
        runEphemeral();
        removeObsolete();
    }

    private boolean isDeadlineExceeded() {
        long limit = input.pod().spec().path("activeDeadlineSeconds").asLong(0);
        String start = input.pod().status().path("startTime").asText("");
        if (limit <= 0 || start.isEmpty()) {
            return false;
        }
        Instant end = Instant.parse(start).plusSeconds(limit);
        if (input.now().isBefore(end)) {
            plan.requeueAt(end);
            return false;
        }
        return true;
    }

    /** Returns whether all containers except sidecars have ended and none is restarted. */
    private boolean isDone() {
        boolean initFailed = inits.stream()
                .anyMatch(each -> each.kind() == ObservedContainer.Kind.INIT
                        && each.phase() instanceof ContainerPhase.Terminated ended
                        && !ended.isSuccess()
                        && input.restartPolicy().equals("Never"));
        return initFailed || containers.stream().allMatch(this::isFinished);
    }

    private boolean isFinished(PlannedContainer member) {
        return member.phase() instanceof ContainerPhase.Terminated ended && !isToRunAgain(member, ended);
    }

    private boolean isToRunAgain(PlannedContainer member, ContainerPhase.Terminated ended) {
        if (member.kind() == ObservedContainer.Kind.SIDECAR) {
            return true;
        }
        return switch (input.restartPolicy()) {
            case "Never" -> false;
            case "OnFailure" -> !ended.isSuccess();
            default -> member.kind() == ObservedContainer.Kind.CONTAINER || !ended.isSuccess();
        };
    }

    /**
     * Stops containers whose sandbox is gone, whose probes failed, or whose spec has changed. Returns whether the
     * sandbox has to wait for it.
     */
    private boolean stopObsoleteContainers() {
        boolean orphaned = false;
        boolean sandboxGone =
                input.sandbox().filter(each -> each.state() == State.EXITED).isPresent()
                        || input.cachedPod().sandboxes().isEmpty();
        for (PlannedContainer each : all().toList()) {
            if (!(each.phase() instanceof ContainerPhase.Running live)) {
                continue;
            }
            if (sandboxGone) {
                orphaned = true;
                stop(each, live.facts(), PodTerminationPlanner.grace(input.pod()), "");
                continue;
            }
            // A container counts as started after its postStart hook has ended.
            if (each.slot().free()) {
                stopIfUnhealthy(each, live.facts());
            }
        }
        Instant end = input.now().plus(PodTerminationPlanner.grace(input.pod()));
        input.unexpectedContainers()
                .forEach(each ->
                        plan.addAction(new PodAction.StopContainer(MissingNode.getInstance(), each, end, ""), input));
        return orphaned;
    }

    private void stopIfUnhealthy(PlannedContainer member, ContainerFacts live) {
        ProbeManager.ProbeStatus verdict = input.queries().probeStatus(member.spec(), live.id());
        Duration usual = PodTerminationPlanner.grace(input.pod());
        if (verdict.failure().isPresent()) {
            String probe = verdict.failure().get();
            stop(member, live, input.queries().grace(member.spec(), probe).orElse(usual), "failed " + probe + " probe");
        } else if (hasSpecChanged(member, live.identity().spec())) {
            stop(member, live, usual, "definition changed");
        }
    }

    private void stop(PlannedContainer member, ContainerFacts live, Duration grace, String why) {
        plan.addAction(
                new PodAction.StopContainer(member.spec(), live, input.now().plus(grace), why), input);
    }

    private Stream<PlannedContainer> all() {
        return Stream.of(inits, containers, ephemeral).flatMap(List::stream);
    }

    private void setAllWaiting() {
        all().filter(each -> !each.isLive()).forEach(each -> plan.setWaiting(each.name(), CREATING, ""));
    }

    private void sandbox() {
        if (input.isSandboxLive()) {
            return;
        }
        if (input.sandbox().isEmpty()) {
            plan.addAction(new PodAction.StartSandbox(0, 0), input);
            return;
        }
        ContainerFacts last = input.sandbox().get();
        ContainerLabels.ContainerIdentity identity = last.identity();
        if (isNeverStarted(last)) {
            plan.addAction(new PodAction.StartSandbox(identity.attempt(), identity.backoffCount()), input);
            return;
        }
        boolean soon = last.started().isEmpty()
                || last.finished().isEmpty()
                || Duration.between(last.started().get(), last.finished().get()).compareTo(SANDBOX_STABLE_AFTER) < 0;
        int backoffCount = soon ? identity.backoffCount() : 0;
        Optional<Instant> due = retryTime(last.finished().orElse(last.created()), PodActionFailure.wait(backoffCount));
        if (due.isPresent()) {
            plan.requeueAt(due.get());
        } else {
            plan.addAction(new PodAction.StartSandbox(identity.attempt() + 1, soon ? backoffCount + 1 : 0), input);
        }
    }

    /**
     * Returns when the wait is over; empty if it is over now. A start time in the future was stored before the clock
     * was set back, and counts as over.
     */
    private Optional<Instant> retryTime(Instant since, Duration wait) {
        Instant due = since.plus(wait);
        return input.now().isBefore(due) && !since.isAfter(input.now().plus(CLOCK_SKEW))
                ? Optional.of(due)
                : Optional.empty();
    }

    private static boolean isNeverStarted(ContainerFacts facts) {
        return facts.state() == State.CREATED && facts.error().isEmpty();
    }

    private void run() {
        boolean started = containers.stream()
                .anyMatch(each -> !(each.phase() instanceof ContainerPhase.Missing) && isOfThisSandbox(each));
        boolean ready = true;
        for (PlannedContainer init : inits) {
            if (ready && !(started && init.kind() == ObservedContainer.Kind.INIT)) {
                ready = startInit(init);
            } else if (!ready) {
                plan.setWaiting(init.name(), INITIALIZING, "");
            }
        }
        for (PlannedContainer container : containers) {
            if (!ready) {
                plan.setWaiting(container.name(), INITIALIZING, "");
            } else if (!isFinished(container)) {
                keepRunning(container);
            }
        }
    }

    /** Starts the ephemeral containers, once each and independently of init containers. */
    private void runEphemeral() {
        for (PlannedContainer each : ephemeral) {
            String target = each.spec().path("targetContainerName").asText("");
            boolean waits = each.phase() instanceof ContainerPhase.Missing
                    && !target.isEmpty()
                    && Stream.of(inits, containers)
                            .flatMap(List::stream)
                            .noneMatch(other -> other.name().equals(target) && other.isLive());
            if (waits) {
                plan.setWaiting(each.name(), creating(), "the target container \"" + target + "\" is not running");
            } else if (!(each.phase() instanceof ContainerPhase.Terminated)) {
                keepRunning(each);
            }
        }
    }

    /** Returns whether a container belongs to the current sandbox; a container with an unknown sandbox does. */
    private boolean isOfThisSandbox(PlannedContainer member) {
        String made = member.phase().sandbox();
        return input.sandbox()
                .filter(each -> !made.isEmpty() && !made.equals(each.id()))
                .isEmpty();
    }

    /** Starts an init container. Returns whether the next one may start. */
    private boolean startInit(PlannedContainer init) {
        if (init.kind() == ObservedContainer.Kind.SIDECAR) {
            keepRunning(init);
            return init.phase() instanceof ContainerPhase.Running live
                    && input.queries()
                            .probeStatus(init.spec(), live.facts().id())
                            .started();
        }
        if (init.phase() instanceof ContainerPhase.Terminated ended && ended.isSuccess() && isOfThisSandbox(init)) {
            return true;
        }
        keepRunning(init);
        return false;
    }

    /** Creates, starts or restarts a container. */
    private void keepRunning(PlannedContainer member) {
        if (input.unexpectedContainers().stream()
                .anyMatch(each -> each.identity().container().equals(member.name()))) {
            plan.setWaiting(member.name(), creating(), "");
        } else if (member.phase() instanceof ContainerPhase.Created made) {
            start(member, made.facts());
        } else if (member.phase() instanceof ContainerPhase.Missing) {
            createContainer(member, 0);
        } else if (member.phase() instanceof ContainerPhase.Terminated ended) {
            restart(member, ended);
        }
    }

    private void restart(PlannedContainer member, ContainerPhase.Terminated ended) {
        boolean well = ended.finished().isPresent()
                && ended.started().isPresent()
                && Duration.between(ended.started().get(), ended.finished().get())
                                .compareTo(CrashBackoff.FORGOTTEN_AFTER)
                        >= 0;
        if (hasSpecChanged(member, ended.spec())) {
            // The new spec has not failed yet.
            createContainer(member, 0);
            return;
        }
        int backoffCount = well ? 0 : ended.backoffCount();
        boolean plannedAnew = member.kind() == ObservedContainer.Kind.INIT && ended.isSuccess();
        Optional<Instant> due = retryTime(ended.finished().orElse(input.now()), CrashBackoff.after(backoffCount));
        if (!plannedAnew && due.isPresent()) {
            plan.setWaiting(member.name(), CRASH_LOOP, CrashBackoff.message(backoffCount, member.name(), input.pod()));
            plan.requeueAt(due.get());
            return;
        }
        createContainer(member, backoffCount + 1);
    }

    /**
     * Returns whether the spec differs from the one the container was created for.
     *
     * @param spec hash at creation; "" if unknown
     */
    private boolean hasSpecChanged(PlannedContainer member, String spec) {
        return !spec.isEmpty() && !spec.equals(input.queries().hash(member.spec()));
    }

    private void createContainer(PlannedContainer member, int backoffCount) {
        String name = member.name();
        if (!input.volumes().isComplete()) {
            plan.setWaiting(name, creating(), why());
            return;
        }
        ImageState image = input.queries().image(member.spec());
        if (!(image instanceof ImageState.Present)) {
            plan.requestImage(member.spec());
        }
        if (image instanceof ImageState.Failed failed) {
            plan.setWaiting(name, failed.reason(), failed.message());
            plan.requeueAt(failed.next());
            return;
        }
        member.slot().failure().ifPresent(trouble -> plan.setWaiting(name, trouble.reason(), trouble.message()));
        plan.setWaiting(name, creating(), why());
        boolean known = input.isSandboxLive()
                || (input.sandbox().filter(PodPlanner::isNeverStarted).isPresent()
                        && !input.queries().needsAddress(member.spec()));
        if (known && image instanceof ImageState.Present present) {
            plan.addAction(
                    new PodAction.CreateContainer(
                            member.spec(),
                            member.kind(),
                            attempt(member),
                            backoffCount,
                            present.image(),
                            input.volumes().mounted()),
                    input);
        }
    }

    /** Returns the next attempt number, higher than all known ones. */
    private int attempt(PlannedContainer member) {
        int known = input.cachedPod().of(member.name()).stream()
                .mapToInt(each -> each.identity().attempt() + 1)
                .max()
                .orElse(0);
        int reported = member.phase() instanceof ContainerPhase.Missing ? 0 : restartCount(member) + 1;
        return Math.max(known, reported);
    }

    private int restartCount(PlannedContainer member) {
        for (var each : input.pod().status().path(member.kind().statuses())) {
            if (each.path("name").asText("").equals(member.name())) {
                return each.path("restartCount").asInt(0);
            }
        }
        return -1;
    }

    private void start(PlannedContainer member, ContainerFacts made) {
        PodPlannerInput.SlotState slot = member.slot();
        slot.failure().ifPresent(trouble -> plan.setWaiting(member.name(), trouble.reason(), trouble.message()));
        plan.setWaiting(member.name(), creating(), why());
        if (!isOfThisSandbox(member) || hasSpecChanged(member, made.identity().spec())) {
            // It can never run, or has an outdated spec: it is replaced with the same attempt number.
            if (slot.free()) {
                obsolete.add(made);
            }
        } else if (input.isSandboxLive() && input.volumes().isComplete()) {
            plan.addAction(
                    new PodAction.StartContainer(
                            member.spec(), made, input.volumes().mounted()),
                    input);
        }
    }

    private String creating() {
        return inits.isEmpty() ? CREATING : INITIALIZING;
    }

    private String why() {
        if (!input.volumes().isComplete()) {
            return input.volumes().message();
        }
        return input.slot(PodAction.SANDBOX)
                .failure()
                .map(PodActionFailure::message)
                .orElse("");
    }

    /** Removes all but the last two attempts of each container, and all but the last sandbox. */
    private void removeObsolete() {
        Stream.concat(
                        input.cachedPod().containers().values().stream()
                                .flatMap(each -> each.stream().skip(2)),
                        input.cachedPod().sandboxes().stream().skip(1))
                .filter(each -> !each.isLive())
                .forEach(obsolete::add);
        if (!obsolete.isEmpty()) {
            plan.addAction(new PodAction.RemoveContainers(obsolete), input);
        }
    }
}
