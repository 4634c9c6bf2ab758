package dev.mooring.node.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.Addresses;
import dev.mooring.node.container.ConfigException;
import dev.mooring.node.container.ContainerSpecs;
import dev.mooring.node.container.PodVolume;
import dev.mooring.node.container.Prepared;
import dev.mooring.node.probe.HookException;
import dev.mooring.node.probe.Hooks;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.Labels;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How each step of a plan is done, but for {@link Removals}. Before anything is made or started the World is looked at once more, since it may be
 * newer than the plan. What came of it is written into the book. Blocks; any thread, but one at a time for a slot.
 */
final class PodSteps {
    private static final Logger LOG = LoggerFactory.getLogger(PodSteps.class);

    private static final Duration HOOK_LIMIT = Duration.ofMinutes(30);

    private final PodParts parts;
    private final PodTeller teller;

    /** The one that was there the last time. */
    private volatile Optional<String> sandboxImage = Optional.empty();

    PodSteps(PodParts parts, PodTeller teller) {
        this.parts = parts;
        this.teller = teller;
    }

    void perform(Pod pod, Step step) throws EngineException, ConfigException, HookException, InterruptedException {
        if (step instanceof Step.BeginSandbox sandbox) {
            beginSandbox(pod, sandbox);
        } else if (step instanceof Step.Make make) {
            make(pod, make);
        } else if (step instanceof Step.Start start) {
            start(pod, start);
        } else if (step instanceof Step.Stop stop) {
            stop(pod, stop);
        } else if (step instanceof Step.Hasten hasten) {
            end(hasten.live(), hasten.end());
        }
    }

    private void beginSandbox(Pod pod, Step.BeginSandbox step)
            throws EngineException, ConfigException, InterruptedException {
        Labels.Of labels = labels(pod, step);
        Optional<String> made = makeSandbox(pod, labels);
        if (made.isEmpty()) {
            return;
        }
        if (step.attempt() > 0) {
            teller.normal(pod, "SandboxChanged", "Pod sandbox changed, it will be killed and re-created.");
        }
        String id = made.get();
        note(id);
        // Containers can be made while it starts.
        parts.wakes().accept(pod.key());
        if (!isStillWanted(pod)) {
            return;
        }
        try {
            parts.runtime().start(id);
        } finally {
            note(id);
        }
    }

    /** The engine is not asked for each Pod whether it still has the image: it says so when it has not. Nothing if no Pod wants it any more. */
    private Optional<String> makeSandbox(Pod pod, Labels.Of labels)
            throws EngineException, ConfigException, InterruptedException {
        Optional<String> known = sandboxImage;
        if (known.isPresent()) {
            try {
                return makeSandbox(pod, labels, known.get());
            } catch (EngineException e) {
                if (e.kind() != EngineException.Kind.NOT_FOUND) {
                    throw e;
                }
                // Somebody has tidied up.
            }
        }
        String image = parts.sandboxImage().reference();
        sandboxImage = Optional.of(image);
        return makeSandbox(pod, labels, image);
    }

    private Optional<String> makeSandbox(Pod pod, Labels.Of labels, String image)
            throws EngineException, ConfigException, InterruptedException {
        ContainerSpec spec = parts.specs().sandbox(pod, labels, image);
        return isStillWanted(pod) ? Optional.of(parts.runtime().create(spec)) : Optional.empty();
    }

    private void make(Pod pod, Step.Make step) throws EngineException, ConfigException, InterruptedException {
        String name = name(step.spec());
        Optional<ContainerFacts> sandbox = sandbox(pod);
        if (sandbox.isEmpty() || !isStillWanted(pod)) {
            return;
        }
        Labels.Of labels = labels(pod, step, sandbox.get());
        Addresses addresses = new Addresses(address(pod), nodeAddress());
        Prepared prepared = parts.specs()
                .container(pod, step.spec(), labels, sandbox.get().name(), step.image(), step.volumes(), addresses);
        prepared.remarks().forEach(each -> teller.warning(pod, each.reason(), each.message()));
        if (!isStillWanted(pod)) {
            return;
        }
        String id = parts.runtime().create(prepared.spec());
        if (!sandbox(pod).map(ContainerFacts::id).equals(sandbox.map(ContainerFacts::id))) {
            // It can never run: what it was to share is gone.
            parts.runtime().remove(id);
            return;
        }
        note(id);
        parts.images().consumed(pod.uid(), name);
        teller.normal(pod, "Created", "Created container: " + name);
    }

    private void start(Pod pod, Step.Start step)
            throws EngineException, ConfigException, HookException, InterruptedException {
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
            remove(id);
            throw e;
        }
        try {
            parts.runtime().start(id);
        } catch (EngineException e) {
            if (e.isAbsence() || hasSandbox(pod)) {
                note(id);
            } else {
                // Not its fault: it is made anew for the next sandbox.
                remove(id);
            }
            throw e;
        }
        verifyInside(step, id);
        note(id);
        teller.normal(pod, "Started", "Started container " + name);
        JsonNode hook = step.spec().path("lifecycle").path("postStart");
        if (hook.isObject()) {
            parts.wakes().accept(pod.key());
            postStart(pod, id, hook);
        }
    }

    /** Between the last look and the engine's, somebody may have unmounted a volume; a server that hangs can make that a long time. */
    private void verifyInside(Step.Start step, String id)
            throws EngineException, ConfigException, InterruptedException {
        if (step.volumes().stream().allMatch(each -> each.mountPoint() == PodVolume.MountPoint.NONE)) {
            return;
        }
        OptionalLong process = parts.runtime().process(id);
        if (process.isEmpty()) {
            return;
        }
        try {
            parts.specs().verifyInside(step.spec(), step.volumes(), process.getAsLong());
        } catch (ConfigException e) {
            parts.runtime().stop(id, Duration.ZERO);
            note(id);
            throw e;
        }
    }

    private void remove(String id) throws EngineException, InterruptedException {
        parts.runtime().remove(id);
        parts.book().removed(id);
    }

    /** Whether the engine says so: the book may not know yet. */
    private boolean hasSandbox(Pod pod) throws EngineException, InterruptedException {
        Optional<ContainerFacts> known = sandbox(pod);
        if (known.isPresent()) {
            note(known.get().id());
        }
        return sandbox(pod).filter(ContainerFacts::isLive).isPresent();
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
        return sandbox(pod).map(ContainerFacts::address).orElse("");
    }

    private Optional<ContainerFacts> sandbox(Pod pod) {
        return parts.book().page(pod.uid()).sandboxes().stream().findFirst();
    }

    private void stop(Pod pod, Step.Stop step) throws EngineException, InterruptedException {
        String name = step.live().whose().container();
        teller.normal(pod, "Killing", killing(name, step.why()));
        JsonNode hook = step.spec().path("lifecycle").path("preStop");
        if (hook.isObject()) {
            try {
                parts.hooks().run(pod, step.live().id(), address(pod), hook, left(step.end()));
            } catch (HookException e) {
                LOG.atWarn()
                        .addKeyValue("pod", pod.key())
                        .addKeyValue("reason", e.getMessage())
                        .log("A preStop hook failed");
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
            case "failed liveness probe", "failed startup probe" ->
                "Container " + name + ' ' + why + ", will be restarted";
            default -> why;
        };
    }

    private void end(ContainerFacts live, Instant end) throws EngineException, InterruptedException {
        Duration left = left(end);
        parts.runtime().stop(live.id(), left.compareTo(PodEnding.LEAST) < 0 ? PodEnding.LEAST : left);
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

    private Labels.Of labels(Pod pod, Step.BeginSandbox step) {
        return new Labels.Of(
                parts.instance(),
                pod.uid(),
                pod.name(),
                pod.namespace(),
                Labels.Role.SANDBOX,
                "",
                step.attempt(),
                step.setbacks(),
                "",
                "");
    }

    private Labels.Of labels(Pod pod, Step.Make step, ContainerFacts sandbox) {
        return new Labels.Of(
                parts.instance(),
                pod.uid(),
                pod.name(),
                pod.namespace(),
                step.kind() == ContainerSight.Kind.CONTAINER ? Labels.Role.CONTAINER : Labels.Role.INIT,
                name(step.spec()),
                step.attempt(),
                step.setbacks(),
                ContainerSpecs.specHash(step.spec()),
                sandbox.id());
    }

    private static String name(JsonNode spec) {
        return spec.path("name").asText("");
    }
}
