package dev.mooring.node.pods;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.EventReasons;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.MountPoint;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.ConfigException;
import dev.mooring.node.container.ContainerSpecs;
import dev.mooring.node.probe.Hooks;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.EngineException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes the actions of a plan, except those of {@link ContainerRemover}. Checks the World again before it creates or
 * starts a container, since it may be newer than the plan. Stores results in the cache. Blocks; any thread, but one at
 * a time per slot.
 */
final class PodActionExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(PodActionExecutor.class);

    private static final Duration HOOK_LIMIT = Duration.ofMinutes(30);

    private final PodContext context;
    private final PodEventRecorder recorder;

    /** The sandbox image used last. */
    private volatile Optional<String> sandboxImage = Optional.empty();

    PodActionExecutor(PodContext context, PodEventRecorder recorder) {
        this.context = context;
        this.recorder = recorder;
    }

    void perform(Pod pod, PodAction action)
            throws EngineException, ConfigException, Hooks.HookException, InterruptedException {
        if (action instanceof PodAction.StartSandbox sandbox) {
            startSandbox(pod, sandbox);
        } else if (action instanceof PodAction.CreateContainer make) {
            createContainer(pod, make);
        } else if (action instanceof PodAction.StartContainer start) {
            start(pod, start);
        } else if (action instanceof PodAction.StopContainer stop) {
            stop(pod, stop);
        } else if (action instanceof PodAction.ShortenGrace hasten) {
            stopContainer(hasten.container(), hasten.deadline());
        }
    }

    private void startSandbox(Pod pod, PodAction.StartSandbox action)
            throws EngineException, ConfigException, InterruptedException {
        ContainerLabels.ContainerIdentity labels = labels(pod, action);
        Optional<String> created = createSandbox(pod, labels);
        if (created.isEmpty()) {
            return;
        }
        if (action.attempt() > 0) {
            recorder.normal(
                    pod, EventReasons.SANDBOX_CHANGED, "Pod sandbox changed, it will be killed and re-created.");
        }
        String id = created.get();
        refreshCache(id);
        // Containers can be created while the sandbox starts.
        context.requeue().accept(pod.key());
        if (!isStillWanted(pod)) {
            return;
        }
        try {
            context.runtime().start(id);
        } finally {
            refreshCache(id);
        }
    }

    /**
     * Creates the sandbox; empty if no Pod needs it any more. Does not check for the image each time: the engine
     * reports a missing image.
     */
    private Optional<String> createSandbox(Pod pod, ContainerLabels.ContainerIdentity labels)
            throws EngineException, ConfigException, InterruptedException {
        Optional<String> known = sandboxImage;
        if (known.isPresent()) {
            try {
                return createSandbox(pod, labels, known.get());
            } catch (EngineException e) {
                if (e.kind() != EngineException.Kind.NOT_FOUND) {
                    throw e;
                }
                // The image was removed; it is created again.
            }
        }
        String image = context.sandboxImage().reference();
        sandboxImage = Optional.of(image);
        return createSandbox(pod, labels, image);
    }

    private Optional<String> createSandbox(Pod pod, ContainerLabels.ContainerIdentity labels, String image)
            throws EngineException, ConfigException, InterruptedException {
        ContainerSpec spec = context.specs().sandbox(pod, labels, image);
        return isStillWanted(pod) ? Optional.of(context.runtime().create(spec)) : Optional.empty();
    }

    private void createContainer(Pod pod, PodAction.CreateContainer action)
            throws EngineException, ConfigException, InterruptedException {
        String name = name(action.spec());
        Optional<ContainerFacts> sandbox = sandbox(pod);
        if (sandbox.isEmpty() || !isStillWanted(pod)) {
            return;
        }
        ContainerLabels.ContainerIdentity labels = labels(pod, action, sandbox.get());
        String target = action.spec().path("targetContainerName").asText("");
        Optional<String> targetId = context.cache().cachedPod(pod.uid()).of(target).stream()
                .filter(ContainerFacts::isLive)
                .map(ContainerFacts::id)
                .findFirst();
        if (!target.isEmpty() && targetId.isEmpty()) {
            return;
        }
        ContainerSpecs.PodAddresses addresses = new ContainerSpecs.PodAddresses(address(pod), nodeAddress());
        ContainerSpecs.PreparedContainer prepared = context.specs()
                .container(
                        pod,
                        action.spec(),
                        labels,
                        new ContainerSpecs.JoinedContainers(sandbox.get().name(), targetId),
                        action.image(),
                        action.volumes(),
                        addresses);
        prepared.warnings().forEach(each -> recorder.warning(pod, each.reason(), each.message()));
        if (!isStillWanted(pod)) {
            return;
        }
        String id = context.runtime().create(prepared.spec());
        if (!sandbox(pod).map(ContainerFacts::id).equals(sandbox.map(ContainerFacts::id))) {
            // It can never run: the sandbox it joins is gone.
            context.runtime().remove(id);
            return;
        }
        refreshCache(id);
        context.images().containerCreated(pod.uid(), name);
        recorder.normal(pod, EventReasons.CREATED, "Created container: " + name);
    }

    private void start(Pod pod, PodAction.StartContainer action)
            throws EngineException, ConfigException, Hooks.HookException, InterruptedException {
        // The reconciler checks for this action before it unmounts a volume, so this check holds until the action has
        // ended.
        VolumeReadiness now = VolumeReadiness.of(context.work().world().world(), pod);
        if (!isStillWanted(pod) || !now.isComplete() || !now.mounted().equals(action.volumes())) {
            return;
        }
        String name = name(action.spec());
        String id = action.container().id();
        try {
            context.specs().verify(pod, action.spec(), action.volumes());
        } catch (ConfigException e) {
            // A volume it was created for is no longer mounted: it is replaced.
            remove(id);
            throw e;
        }
        context.specs().writeHosts(pod, action.container().identity().sandbox(), address(pod));
        try {
            context.runtime().start(id);
        } catch (EngineException e) {
            if (e.isUnavailable() || hasSandbox(pod)) {
                refreshCache(id);
            } else {
                // Not a failure of the container: it is created again for the next sandbox.
                remove(id);
            }
            throw e;
        }
        verifyInside(action, id);
        refreshCache(id);
        recorder.normal(pod, EventReasons.STARTED, "Started container " + name);
        JsonNode hook = action.spec().path("lifecycle").path("postStart");
        if (hook.isObject()) {
            context.requeue().accept(pod.key());
            postStart(pod, id, hook);
        }
    }

    /**
     * Checks the container's mounts from the inside: a volume may have been unmounted between the last check and the
     * start, which takes long if a server hangs.
     */
    private void verifyInside(PodAction.StartContainer action, String id)
            throws EngineException, ConfigException, InterruptedException {
        if (action.volumes().stream().allMatch(each -> each.mountPoint() == MountPoint.NONE)) {
            return;
        }
        OptionalLong process = context.runtime().pid(id);
        if (process.isEmpty()) {
            return;
        }
        try {
            context.specs().verifyInside(action.spec(), action.volumes(), process.getAsLong());
        } catch (ConfigException e) {
            context.runtime().stop(id, Duration.ZERO);
            refreshCache(id);
            throw e;
        }
    }

    private void remove(String id) throws EngineException, InterruptedException {
        context.runtime().remove(id);
        context.cache().removed(id);
    }

    /** Returns whether the engine has the sandbox; the cache may be outdated. */
    private boolean hasSandbox(Pod pod) throws EngineException, InterruptedException {
        Optional<ContainerFacts> known = sandbox(pod);
        if (known.isPresent()) {
            refreshCache(known.get().id());
        }
        return sandbox(pod).filter(ContainerFacts::isLive).isPresent();
    }

    private void postStart(Pod pod, String id, JsonNode hook)
            throws EngineException, Hooks.HookException, InterruptedException {
        try {
            context.hooks().run(pod, id, address(pod), hook, HOOK_LIMIT);
        } catch (Hooks.HookException e) {
            recorder.normal(pod, EventReasons.KILLING, "FailedPostStartHook");
            context.runtime().stop(id, PodTerminationPlanner.grace(pod));
            refreshCache(id);
            throw e;
        }
    }

    private String nodeAddress() {
        return PodObserver.nodeAddress(context.work().world().world(), context.node());
    }

    private String address(Pod pod) {
        if (pod.spec().path("hostNetwork").asBoolean(false)) {
            return nodeAddress();
        }
        return sandbox(pod).map(ContainerFacts::address).orElse("");
    }

    private Optional<ContainerFacts> sandbox(Pod pod) {
        return context.cache().cachedPod(pod.uid()).sandboxes().stream().findFirst();
    }

    private void stop(Pod pod, PodAction.StopContainer action) throws EngineException, InterruptedException {
        String name = action.container().identity().container();
        recorder.normal(pod, EventReasons.KILLING, killingMessage(name, action.reason()));
        JsonNode hook = action.spec().path("lifecycle").path("preStop");
        if (hook.isObject()) {
            try {
                context.hooks().run(pod, action.container().id(), address(pod), hook, remaining(action.deadline()));
            } catch (Hooks.HookException e) {
                LOG.atWarn()
                        .addKeyValue("pod", pod.key())
                        .addKeyValue("reason", e.getMessage())
                        .log("PreStop hook failed");
                if (e.kind() == Hooks.HookException.Kind.FAILED) {
                    recorder.warning(pod, EventReasons.FAILED_PRE_STOP_HOOK, Hooks.PRE_STOP_FAILED);
                }
            }
        }
        stopContainer(action.container(), action.deadline());
    }

    private static String killingMessage(String name, String why) {
        return switch (why) {
            case "" -> "Stopping container " + name;
            case "definition changed" -> "Container " + name + " definition changed, will be restarted";
            case "failed liveness probe", "failed startup probe" ->
                "Container " + name + ' ' + why + ", will be restarted";
            default -> why;
        };
    }

    private void stopContainer(ContainerFacts live, Instant end) throws EngineException, InterruptedException {
        Duration left = remaining(end);
        context.runtime()
                .stop(
                        live.id(),
                        left.compareTo(PodTerminationPlanner.MIN_GRACE) < 0 ? PodTerminationPlanner.MIN_GRACE : left);
        refreshCache(live.id());
    }

    private Duration remaining(Instant end) {
        Duration left = Duration.between(context.work().clock().instant(), end);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** Updates the cache with the container's state in the engine. */
    private void refreshCache(String id) throws EngineException, InterruptedException {
        long ticket = context.cache().ticket();
        Optional<ContainerFacts> facts = context.runtime().inspect(id);
        if (facts.isPresent()) {
            context.cache().put(facts.get(), ticket);
        } else {
            context.cache().removed(id);
        }
    }

    private boolean isStillWanted(Pod pod) {
        ObjectKey key = pod.key();
        return context.work()
                .world()
                .world()
                .get(key)
                .map(Pod::of)
                .filter(now -> now.uid().equals(pod.uid()) && !now.isBeingDeleted() && !now.isFinished())
                .isPresent();
    }

    private ContainerLabels.ContainerIdentity labels(Pod pod, PodAction.StartSandbox action) {
        return new ContainerLabels.ContainerIdentity(
                context.instance(),
                pod.uid(),
                pod.name(),
                pod.namespace(),
                ContainerLabels.ContainerRole.SANDBOX,
                "",
                action.attempt(),
                action.backoffCount(),
                "",
                "");
    }

    private ContainerLabels.ContainerIdentity labels(
            Pod pod, PodAction.CreateContainer action, ContainerFacts sandbox) {
        return new ContainerLabels.ContainerIdentity(
                context.instance(),
                pod.uid(),
                pod.name(),
                pod.namespace(),
                action.kind().statuses().equals("initContainerStatuses")
                        ? ContainerLabels.ContainerRole.INIT
                        : ContainerLabels.ContainerRole.CONTAINER,
                name(action.spec()),
                action.attempt(),
                action.backoffCount(),
                ContainerSpecs.specHash(action.spec()),
                sandbox.id());
    }

    private static String name(JsonNode spec) {
        return spec.path("name").asText("");
    }
}
