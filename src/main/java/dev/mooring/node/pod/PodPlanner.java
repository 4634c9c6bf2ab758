package dev.mooring.node.pod;

import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.node.image.ImageState;
import dev.mooring.node.pod.PodLook.Member;
import dev.mooring.node.probe.Verdict;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import dev.mooring.runtime.Labels;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Decides what a Pod that is to run needs next. The sandbox is begun at once, since it uses no volumes; containers are made when all volumes are
 * mounted and the image is there, and started when the sandbox runs. Pure, but for what it asks from outside; any thread.
 */
final class PodPlanner {
    static final String CREATING = "ContainerCreating";
    static final String INITIALIZING = "PodInitializing";
    private static final String CRASH_LOOP = "CrashLoopBackOff";

    /** The engine's clock may be a little ahead of ours, when it is another machine's. */
    private static final Duration CLOCKS_DIFFER = Duration.ofMinutes(1);

    /** A sandbox only ever waits; one that ends sooner than this will do so again. */
    private static final Duration SANDBOX_IS_WELL = Duration.ofSeconds(10);

    private final PodLook look;
    private final PodPlan plan = new PodPlan();
    private final List<ContainerFacts> useless = new ArrayList<>();
    private final List<Member> inits;
    private final List<Member> containers;

    private PodPlanner(PodLook look) {
        this.look = look;
        this.inits = look.members("initContainers");
        this.containers = look.members("containers");
    }

    static PodPlan plan(PodLook look) {
        PodPlanner planner = new PodPlanner(look);
        planner.decide();
        return planner.plan;
    }

    private void decide() {
        if (look.pod().isBeingDeleted() || look.pod().isFinished()) {
            new PodEnding(look, plan).decide();
            return;
        }
        if (isOverdue()) {
            plan.fails("DeadlineExceeded", "Pod was active on the node longer than the specified deadline");
            new PodEnding(look, plan).decide();
            return;
        }
        if (isDone()) {
            // The phase says so soon; what only served the others has no reason to go on.
            new PodEnding(look, plan).stopAll();
            return;
        }
        if (endWhatMustNotGoOn()) {
            explainAll();
            return;
        }
        sandbox();
        run();
        removeUseless();
    }

    private boolean isOverdue() {
        long limit = look.pod().spec().path("activeDeadlineSeconds").asLong(0);
        String start = look.pod().status().path("startTime").asText("");
        if (limit <= 0 || start.isEmpty()) {
            return false;
        }
        Instant end = Instant.parse(start).plusSeconds(limit);
        if (look.now().isBefore(end)) {
            plan.lookAgain(end);
            return false;
        }
        return true;
    }

    /** Whether all that counts has ended, and nothing of it is to run again. */
    private boolean isDone() {
        boolean initFailed = inits.stream()
                .anyMatch(each -> each.kind() == ContainerSight.Kind.INIT
                        && each.standing() instanceof Standing.Ended ended
                        && !ended.isSuccess()
                        && look.restartPolicy().equals("Never"));
        return initFailed || containers.stream().allMatch(this::isOver);
    }

    private boolean isOver(Member member) {
        return member.standing() instanceof Standing.Ended ended && !isToRunAgain(member, ended);
    }

    private boolean isToRunAgain(Member member, Standing.Ended ended) {
        if (member.kind() == ContainerSight.Kind.SIDECAR) {
            return true;
        }
        return switch (look.restartPolicy()) {
            case "Never" -> false;
            case "OnFailure" -> !ended.isSuccess();
            default -> member.kind() == ContainerSight.Kind.CONTAINER || !ended.isSuccess();
        };
    }

    /** Containers whose sandbox is gone, whose probes say so, or that are no longer what is asked for. Whether the sandbox has to wait for it. */
    private boolean endWhatMustNotGoOn() {
        boolean orphaned = false;
        boolean sandboxGone =
                look.sandbox().filter(each -> each.state() == State.EXITED).isPresent()
                        || look.page().sandboxes().isEmpty();
        for (Member each : all().toList()) {
            if (!(each.standing() instanceof Standing.Live live)) {
                continue;
            }
            if (sandboxGone) {
                orphaned = true;
                stop(each, live.facts(), PodEnding.grace(look.pod()), "");
                continue;
            }
            // Before its postStart hook is through, a container has not begun.
            if (each.slot().free()) {
                endUnlessWell(each, live.facts());
            }
        }
        Instant end = look.now().plus(PodEnding.grace(look.pod()));
        look.strays().forEach(each -> plan.step(new Step.Stop(MissingNode.getInstance(), each, end, ""), look));
        return orphaned;
    }

    private void endUnlessWell(Member member, ContainerFacts live) {
        Verdict verdict = look.outside().verdict(member.spec(), live.id());
        Duration usual = PodEnding.grace(look.pod());
        if (verdict.failure().isPresent()) {
            String probe = verdict.failure().get();
            stop(member, live, look.outside().grace(member.spec(), probe).orElse(usual), "failed " + probe + " probe");
        } else if (isAnotherNow(member, live.whose().spec())) {
            stop(member, live, usual, "definition changed");
        }
    }

    private void stop(Member member, ContainerFacts live, Duration grace, String why) {
        plan.step(new Step.Stop(member.spec(), live, look.now().plus(grace), why), look);
    }

    private Stream<Member> all() {
        return Stream.concat(inits.stream(), containers.stream());
    }

    private void explainAll() {
        all().filter(each -> !each.isLive()).forEach(each -> plan.waits(each.name(), CREATING, ""));
    }

    private void sandbox() {
        if (look.isSandboxLive()) {
            return;
        }
        if (look.sandbox().isEmpty()) {
            plan.step(new Step.BeginSandbox(0, 0), look);
            return;
        }
        ContainerFacts last = look.sandbox().get();
        Labels.Of whose = last.whose();
        if (isUnbegun(last)) {
            plan.step(new Step.BeginSandbox(whose.attempt(), whose.setbacks()), look);
            return;
        }
        boolean soon = last.started().isEmpty()
                || last.finished().isEmpty()
                || Duration.between(last.started().get(), last.finished().get()).compareTo(SANDBOX_IS_WELL) < 0;
        int setbacks = soon ? whose.setbacks() : 0;
        Optional<Instant> due = due(last.finished().orElse(last.created()), Trouble.wait(setbacks));
        if (due.isPresent()) {
            plan.lookAgain(due.get());
        } else {
            plan.step(new Step.BeginSandbox(whose.attempt() + 1, soon ? setbacks + 1 : 0), look);
        }
    }

    /** When to go on after a wait since then; nothing if that is now. What is still to come ended before the clock was set back, who knows when. */
    private Optional<Instant> due(Instant since, Duration wait) {
        Instant due = since.plus(wait);
        return look.now().isBefore(due) && !since.isAfter(look.now().plus(CLOCKS_DIFFER))
                ? Optional.of(due)
                : Optional.empty();
    }

    private static boolean isUnbegun(ContainerFacts facts) {
        return facts.state() == State.CREATED && facts.error().isEmpty();
    }

    private void run() {
        boolean begun = containers.stream()
                .anyMatch(each -> !(each.standing() instanceof Standing.Missing) && isOfThisSandbox(each));
        boolean ready = true;
        for (Member init : inits) {
            if (ready && !(begun && init.kind() == ContainerSight.Kind.INIT)) {
                ready = bringUp(init);
            } else if (!ready) {
                plan.waits(init.name(), INITIALIZING, "");
            }
        }
        for (Member container : containers) {
            if (!ready) {
                plan.waits(container.name(), INITIALIZING, "");
            } else if (!isOver(container)) {
                keepUp(container);
            }
        }
    }

    /** Whether it is of the sandbox that there is now; one of which that is not known is taken to be. */
    private boolean isOfThisSandbox(Member member) {
        String made = member.standing().sandbox();
        return look.sandbox()
                .filter(each -> !made.isEmpty() && !made.equals(each.id()))
                .isEmpty();
    }

    /** Whether an init container has done what the next one waits for. */
    private boolean bringUp(Member init) {
        if (init.kind() == ContainerSight.Kind.SIDECAR) {
            keepUp(init);
            return init.standing() instanceof Standing.Live live
                    && look.outside().verdict(init.spec(), live.facts().id()).started();
        }
        if (init.standing() instanceof Standing.Ended ended && ended.isSuccess() && isOfThisSandbox(init)) {
            return true;
        }
        keepUp(init);
        return false;
    }

    /** Has it made, started, or begun anew. */
    private void keepUp(Member member) {
        if (look.strays().stream().anyMatch(each -> each.whose().container().equals(member.name()))) {
            plan.waits(member.name(), creating(), "");
        } else if (member.standing() instanceof Standing.Made made) {
            start(member, made.facts());
        } else if (member.standing() instanceof Standing.Missing) {
            make(member, 0);
        } else if (member.standing() instanceof Standing.Ended ended) {
            again(member, ended);
        }
    }

    private void again(Member member, Standing.Ended ended) {
        boolean well = ended.finished().isPresent()
                && ended.started().isPresent()
                && Duration.between(ended.started().get(), ended.finished().get())
                                .compareTo(CrashBackoff.FORGOTTEN_AFTER)
                        >= 0;
        if (isAnotherNow(member, ended.spec())) {
            // What is asked for now has done nothing wrong yet.
            make(member, 0);
            return;
        }
        int setbacks = well ? 0 : ended.setbacks();
        boolean plannedAnew = member.kind() == ContainerSight.Kind.INIT && ended.isSuccess();
        Optional<Instant> due = due(ended.finished().orElse(look.now()), CrashBackoff.after(setbacks));
        if (!plannedAnew && due.isPresent()) {
            plan.waits(member.name(), CRASH_LOOP, CrashBackoff.words(setbacks, member.name(), look.pod()));
            plan.lookAgain(due.get());
            return;
        }
        make(member, setbacks + 1);
    }

    /** @param spec what it was made for; "" if that is not known */
    private boolean isAnotherNow(Member member, String spec) {
        return !spec.isEmpty() && !spec.equals(look.outside().hash(member.spec()));
    }

    private void make(Member member, int setbacks) {
        String name = member.name();
        if (!look.volumes().isComplete()) {
            plan.waits(name, creating(), why());
            return;
        }
        ImageState image = look.outside().image(member.spec());
        if (image instanceof ImageState.Failed failed) {
            plan.waits(name, failed.reason(), failed.message());
            plan.lookAgain(failed.next());
            return;
        }
        member.slot().trouble().ifPresent(trouble -> plan.waits(name, trouble.reason(), trouble.message()));
        plan.waits(name, creating(), why());
        boolean known = look.isSandboxLive()
                || (look.sandbox().filter(PodPlanner::isUnbegun).isPresent()
                        && !look.outside().needsAddress(member.spec()));
        if (known && image instanceof ImageState.Present present) {
            plan.step(
                    new Step.Make(
                            member.spec(),
                            member.kind(),
                            attempt(member),
                            setbacks,
                            present.image(),
                            look.volumes().mounted()),
                    look);
        }
    }

    /** Once more than any that there is or was. */
    private int attempt(Member member) {
        int known = look.page().of(member.name()).stream()
                .mapToInt(each -> each.whose().attempt() + 1)
                .max()
                .orElse(0);
        int told = member.standing() instanceof Standing.Missing ? 0 : restartCount(member) + 1;
        return Math.max(known, told);
    }

    private int restartCount(Member member) {
        String list = member.kind() == ContainerSight.Kind.CONTAINER ? "containerStatuses" : "initContainerStatuses";
        for (var each : look.pod().status().path(list)) {
            if (each.path("name").asText("").equals(member.name())) {
                return each.path("restartCount").asInt(0);
            }
        }
        return -1;
    }

    private void start(Member member, ContainerFacts made) {
        PodLook.Slot slot = member.slot();
        slot.trouble().ifPresent(trouble -> plan.waits(member.name(), trouble.reason(), trouble.message()));
        plan.waits(member.name(), creating(), why());
        if (!isOfThisSandbox(member) || isAnotherNow(member, made.whose().spec())) {
            // It can never run, or is not what is asked for any more: another one takes its place, and its number.
            if (slot.free()) {
                useless.add(made);
            }
        } else if (look.isSandboxLive() && look.volumes().isComplete()) {
            plan.step(new Step.Start(member.spec(), made, look.volumes().mounted()), look);
        }
    }

    private String creating() {
        return inits.isEmpty() ? CREATING : INITIALIZING;
    }

    private String why() {
        if (!look.volumes().isComplete()) {
            return look.volumes().words();
        }
        return look.slot(Step.SANDBOX).trouble().map(Trouble::message).orElse("");
    }

    /** Those before the last two of a container are of no use to anybody, nor are sandboxes before the last. */
    private void removeUseless() {
        Stream.concat(
                        look.page().containers().values().stream()
                                .flatMap(each -> each.stream().skip(2)),
                        look.page().sandboxes().stream().skip(1))
                .filter(each -> !each.isLive())
                .forEach(useless::add);
        if (!useless.isEmpty()) {
            plan.step(new Step.Remove(useless), look);
        }
    }
}
