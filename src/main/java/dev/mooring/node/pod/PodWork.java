package dev.mooring.node.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.Addresses;
import dev.mooring.node.container.ConfigException;
import dev.mooring.node.container.ContainerSpecs;
import dev.mooring.node.container.Prepared;
import dev.mooring.node.pod.ContainerBook.Busy;
import dev.mooring.node.probe.HookException;
import dev.mooring.node.probe.Hooks;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.Labels;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does the steps of plans, each on a thread of its own, and at most one of a slot at a time. How it went is in the book before the slot is free again.
 * Thread-safe; {@link #begin} never blocks.
 */
final class PodWork {
    private static final Logger LOG = LoggerFactory.getLogger(PodWork.class);

    private static final String CREATE_ERROR = ConfigException.CREATE_ERROR;
    private static final String START_ERROR = "RunContainerError";
    /** Of containers whose Pod is gone, and with it the time that they were given. */
    private static final Duration ORPHANS_GRACE = Duration.ofSeconds(2);

    private static final Duration HOOK_LIMIT = Duration.ofMinutes(30);

    private final PodParts parts;
    private final PodTeller teller;

    PodWork(PodParts parts) {
        this.parts = parts;
        this.teller = new PodTeller(parts.actor(), parts.work());
    }

    /** What one step does. */
    private interface Job {
        void run() throws EngineException, ConfigException, HookException, InterruptedException;
    }

    /** Has a step done, unless something is being done there already. */
    void begin(Pod pod, Step step) {
        Optional<Instant> end = step instanceof Step.Stop stop ? Optional.of(stop.end()) : Optional.empty();
        if (!parts.book().begin(pod.uid(), pod.key(), step.slot(), new Busy(end))) {
            return;
        }
        try {
            parts.work().threads().execute(() -> perform(pod, step));
        } catch (RejectedExecutionException e) {
            // The process ends.
            parts.book().ended(pod.uid(), step.slot(), Optional.empty());
        }
    }

    /** Ends and removes what is left of a Pod that does not exist any more. */
    void clearAway(String uid, ObjectKey key, List<ContainerFacts> left) {
        if (!parts.book().begin(uid, key, Step.REMOVAL, new Busy(Optional.empty()))) {
            return;
        }
        Runnable job = () -> {
            Optional<Trouble> trouble = Optional.empty();
            try {
                for (ContainerFacts each : left) {
                    if (each.isLive() && each.whose().role() != Labels.Role.SANDBOX) {
                        parts.runtime().stop(each.id(), ORPHANS_GRACE);
                    }
                    parts.runtime().remove(each.id());
                    parts.book().removed(each.id());
                }
            } catch (EngineException e) {
                Trouble before = parts.book().page(uid).troubles().get(Step.REMOVAL);
                trouble = Optional.of(Trouble.after(
                        before, CREATE_ERROR, e.getMessage(), parts.work().clock().instant()));
                LOG.atWarn()
                        .addKeyValue("pod", key)
                        .addKeyValue("uid", uid)
                        .addKeyValue("reason", e.getMessage())
                        .log("Expected to remove the containers of a Pod that is gone, but could not; it is tried again");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                parts.book().ended(uid, Step.REMOVAL, trouble);
                parts.wakes().accept(key);
            }
        };
        try {
            parts.work().threads().execute(job);
        } catch (RejectedExecutionException e) {
            parts.book().ended(uid, Step.REMOVAL, Optional.empty());
        }
    }

    private void perform(Pod pod, Step step) {
        Optional<Trouble> trouble = Optional.empty();
        try {
            job(pod, step).run();
        } catch (EngineException e) {
            trouble = trouble(pod, step, reason(step), e.getMessage());
            if (step instanceof Step.Make make && e.kind() == EngineException.Kind.NOT_FOUND) {
                // Somebody has removed the image meanwhile.
                parts.images().consumed(pod.uid(), name(make.spec()));
            }
            if (!e.isAbsence()) {
                tellFailure(pod, step, e.getMessage());
            }
        } catch (ConfigException e) {
            trouble = trouble(pod, step, e.reason(), e.getMessage());
            teller.warning(pod, "Failed", "Error: " + e.getMessage());
        } catch (HookException e) {
            // What it says may hold secrets.
            LOG.atWarn().addKeyValue("pod", pod.key()).addKeyValue("reason", e.getMessage()).log("A postStart hook failed");
            teller.warning(pod, Hooks.POST_START_REASON, Hooks.POST_START_FAILED);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.atError()
                    .addKeyValue("pod", pod.key())
                    .addKeyValue("step", step.slot())
                    .setCause(e)
                    .log("Expected to work on a Pod's container, but failed; it is tried again");
            trouble = trouble(pod, step, reason(step), String.valueOf(e.getMessage()));
        } finally {
            parts.book().ended(pod.uid(), step.slot(), trouble);
            parts.wakes().accept(pod.key());
        }
    }

    private Optional<Trouble> trouble(Pod pod, Step step, String reason, String message) {
        Trouble before = parts.book().page(pod.uid()).troubles().get(step.slot());
        return Optional.of(
                Trouble.after(before, reason, message, parts.work().clock().instant()));
    }

    private static String reason(Step step) {
        return step instanceof Step.Start ? START_ERROR : CREATE_ERROR;
    }

    private void tellFailure(Pod pod, Step step, String message) {
        if (step instanceof Step.BeginSandbox) {
            teller.warning(pod, "FailedCreatePodSandBox", "Failed to create pod sandbox: " + message);
        } else if (step instanceof Step.Make || step instanceof Step.Start) {
            teller.warning(pod, "Failed", "Error: " + message);
        } else if (step instanceof Step.Stop || step instanceof Step.Hasten) {
            teller.warning(pod, "FailedKillPod", "error killing pod: " + message);
        }
    }

    private Job job(Pod pod, Step step) {
        if (step instanceof Step.BeginSandbox sandbox) {
            return () -> beginSandbox(pod, sandbox);
        }
        if (step instanceof Step.Make make) {
            return () -> make(pod, make);
        }
        if (step instanceof Step.Start start) {
            return () -> start(pod, start);
        }
        if (step instanceof Step.Stop stop) {
            return () -> stop(pod, stop);
        }
        if (step instanceof Step.Hasten hasten) {
            return () -> end(hasten.live(), hasten.end());
        }
        Step.Remove remove = (Step.Remove) step;
        return () -> {
            for (ContainerFacts each : remove.ended()) {
                parts.runtime().remove(each.id());
                parts.book().removed(each.id());
            }
        };
    }

    private void beginSandbox(Pod pod, Step.BeginSandbox step)
            throws EngineException, ConfigException, InterruptedException {
        Labels.Of labels = labels(pod, Labels.Role.SANDBOX, "", step.attempt(), 0, "");
        ContainerSpec spec =
                parts.specs().sandbox(pod, labels, parts.sandboxImage().reference());
        if (!isStillWanted(pod)) {
            return;
        }
        String id = parts.runtime().create(spec);
        note(id);
        // Containers can be made while it starts.
        parts.wakes().accept(pod.key());
        try {
            parts.runtime().start(id);
        } finally {
            note(id);
        }
    }

    private void make(Pod pod, Step.Make step) throws EngineException, ConfigException, InterruptedException {
        String name = name(step.spec());
        Labels.Role role = step.kind() == ContainerSight.Kind.CONTAINER ? Labels.Role.CONTAINER : Labels.Role.INIT;
        Labels.Of labels =
                labels(pod, role, name, step.attempt(), step.setbacks(), ContainerSpecs.specHash(step.spec()));
        ContainerBook.Page page = parts.book().page(pod.uid());
        Optional<ContainerFacts> sandbox = page.sandboxes().stream().findFirst();
        if (sandbox.isEmpty() || !isStillWanted(pod)) {
            return;
        }
        Addresses addresses = new Addresses(address(pod), nodeAddress());
        Prepared prepared = parts.specs()
                .container(pod, step.spec(), labels, sandbox.get().name(), step.image(), step.volumes(), addresses);
        prepared.remarks().forEach(each -> teller.warning(pod, each.reason(), each.message()));
        if (!isStillWanted(pod)) {
            return;
        }
        note(parts.runtime().create(prepared.spec()));
        parts.images().consumed(pod.uid(), name);
        teller.normal(pod, "Created", "Created container: " + name);
    }

    private void start(Pod pod, Step.Start step) throws EngineException, ConfigException, HookException, InterruptedException {
        // Whoever takes a volume away first sees that this has begun; so what is seen here holds until it has ended.
        VolumeReadiness now = VolumeReadiness.of(parts.work().world().world(), pod);
        if (!isStillWanted(pod) || !now.isComplete() || !now.mounted().equals(step.volumes())) {
            return;
        }
        String name = name(step.spec());
        String id = step.made().id();
        try {
            parts.specs().verify(pod, step.spec(), step.volumes());
        } catch (ConfigException e) {
            // It was made for what is not there any more: the next one is made for what is.
            parts.runtime().remove(id);
            parts.book().removed(id);
            throw e;
        }
        try {
            parts.runtime().start(id);
        } finally {
            note(id);
        }
        teller.normal(pod, "Started", "Started container " + name);
        JsonNode hook = step.spec().path("lifecycle").path("postStart");
        if (hook.isObject()) {
            parts.wakes().accept(pod.key());
            postStart(pod, id, hook);
        }
    }

    private void postStart(Pod pod, String id, JsonNode hook)
            throws EngineException, HookException, InterruptedException {
        try {
            parts.hooks().run(pod, id, address(pod), hook, HOOK_LIMIT);
        } catch (HookException e) {
            teller.normal(pod, "Killing", "FailedPostStartHook");
            parts.runtime().stop(id, PodEnding.grace(pod));
            note(id);
            throw e;
        }
    }

    private String nodeAddress() {
        return Sights.nodeAddress(parts.work().world().world(), parts.node());
    }

    private String address(Pod pod) {
        if (pod.spec().path("hostNetwork").asBoolean(false)) {
            return nodeAddress();
        }
        return parts.book().page(pod.uid()).sandboxes().stream()
                .findFirst()
                .map(ContainerFacts::address)
                .orElse("");
    }

    private void stop(Pod pod, Step.Stop step) throws EngineException, InterruptedException {
        String name = step.live().whose().container();
        teller.normal(pod, "Killing", killing(name, step.why()));
        JsonNode hook = step.spec().path("lifecycle").path("preStop");
        if (hook.isObject()) {
            try {
                parts.hooks().run(pod, step.live().id(), address(pod), hook, left(step.end()));
            } catch (HookException e) {
                LOG.atWarn().addKeyValue("pod", pod.key()).addKeyValue("reason", e.getMessage()).log("A preStop hook failed");
                if (e.kind() == HookException.Kind.FAILED) {
                    teller.warning(pod, Hooks.PRE_STOP_REASON, Hooks.PRE_STOP_FAILED);
                }
            }
        }
        end(step.live(), step.end());
    }

    private static String killing(String name, String why) {
        return switch (why) {
            case "" -> "Stopping container " + name;
            case "definition changed" -> "Container " + name + " definition changed, will be restarted";
            case "failed liveness probe", "failed startup probe" -> "Container " + name + ' ' + why + ", will be restarted";
            default -> why;
        };
    }

    private void end(ContainerFacts live, Instant end) throws EngineException, InterruptedException {
        parts.runtime().stop(live.id(), left(end));
        note(live.id());
    }

    private Duration left(Instant end) {
        Duration left = Duration.between(parts.work().clock().instant(), end);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** Writes down what the engine has of a container now. */
    private void note(String id) throws EngineException, InterruptedException {
        long ticket = parts.book().ticket();
        Optional<ContainerFacts> facts = parts.runtime().inspect(id);
        if (facts.isPresent()) {
            parts.book().put(facts.get(), ticket);
        } else {
            parts.book().removed(id);
        }
    }

    private boolean isStillWanted(Pod pod) {
        ObjectKey key = pod.key();
        return parts.work()
                .world()
                .world()
                .get(key)
                .map(Pod::of)
                .filter(now -> now.uid().equals(pod.uid()) && !now.isBeingDeleted() && !now.isFinished())
                .isPresent();
    }

    private Labels.Of labels(Pod pod, Labels.Role role, String container, int attempt, int setbacks, String spec) {
        return new Labels.Of(
                parts.instance(),
                pod.uid(),
                pod.name(),
                pod.namespace(),
                role,
                container,
                attempt,
                setbacks,
                spec);
    }

    private static String name(JsonNode spec) {
        return spec.path("name").asText("");
    }
}
