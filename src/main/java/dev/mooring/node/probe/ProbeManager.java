package dev.mooring.node.probe;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.ObservedContainer;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerRuntime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Runs the probes of running containers and keeps their results.
 *
 * <p>The Pod controller reports observed containers with {@link #updatePod}, as often as it likes, and reads results
 * with {@link #status}; a Pod is requeued when a result changes. State of a container is dropped when it ends.
 * Thread-safe; no method blocks.
 *
 * <p>For a container that was running before this process started, the result in the Pod's status holds until its
 * probes report otherwise: a restart of Mooring makes no Pod unready.
 */
public final class ProbeManager implements AutoCloseable {
    private final Prober prober;
    private final AutoCloseable resource;
    private final WorkContext work;
    private final String actor;
    private final Random jitter;
    private final Instant startTime;
    private final Map<String, PodProbes> pods = new ConcurrentHashMap<>();

    /**
     * Creates a manager.
     *
     * @param actor the source of the Events
     * @param jitter spreads the probes of already running containers, so that they do not all start at once
     */
    public ProbeManager(ContainerRuntime runtime, WorkContext work, String actor, Random jitter) {
        this(new ContainerProber(runtime, work), work, actor, jitter);
    }

    private ProbeManager(ContainerProber checks, WorkContext work, String actor, Random jitter) {
        this(checks, checks, work, actor, jitter);
    }

    ProbeManager(Prober checker, AutoCloseable held, WorkContext work, String actor, Random jitter) {
        this.prober = checker;
        this.resource = held;
        this.work = work;
        this.actor = actor;
        this.jitter = jitter;
        this.startTime = work.clock().instant();
    }

    /**
     * Probes the given running containers of a Pod that have probes, and stops all other probes of the Pod.
     *
     * @param podAddress "" if it has none
     * @param requeue called with the Pod's key when a result has changed; on any thread, must not block
     */
    public void updatePod(Pod pod, List<ObservedContainer> containers, String podAddress, Consumer<ObjectKey> requeue) {
        PodProbes watch =
                isAnyProbed(containers) ? pods.computeIfAbsent(pod.uid(), uid -> new PodProbes()) : pods.get(pod.uid());
        if (watch != null) {
            watch.update(pod, containers, podAddress, requeue);
        }
    }

    /** Returns whether {@link #updatePod} has an effect: one of the containers has a probe, or the Pod has probes. */
    public boolean hasProbes(Pod pod, List<ObservedContainer> containers) {
        return pods.containsKey(pod.uid()) || isAnyProbed(containers);
    }

    private static boolean isAnyProbed(List<ObservedContainer> containers) {
        return containers.stream().anyMatch(ProbeManager::isProbed);
    }

    /** Returns the probe status of a running container, or its initial status if it is not probed yet. */
    public ProbeStatus status(Pod pod, JsonNode containerSpec, String containerId) {
        return Optional.ofNullable(pods.get(pod.uid()))
                .flatMap(watch -> watch.status(containerId))
                .orElseGet(() -> initialStatus(pod, containerSpec, containerId));
    }

    /** Returns the termination grace period of the failed probe, if it overrides the Pod's. */
    public static OptionalLong graceSeconds(JsonNode containerSpec, String failure) {
        JsonNode grace = containerSpec.path(failure + "Probe").path("terminationGracePeriodSeconds");
        return grace.isIntegralNumber() ? OptionalLong.of(grace.asLong()) : OptionalLong.empty();
    }

    /** Stops all probes of a Pod. */
    public void removePod(String podUid) {
        PodProbes watch = pods.remove(podUid);
        if (watch != null) {
            watch.end();
        }
    }

    @Override
    public void close() {
        List.copyOf(pods.keySet()).forEach(this::removePod);
        try {
            resource.close();
        } catch (Exception e) {
            throw new IllegalStateException("Failed to release the resources of probes", e);
        }
    }

    private static boolean isProbed(ObservedContainer container) {
        if (!container.isLive()) {
            return false;
        }
        for (ProbeKind kind : ProbeKind.values()) {
            if (ProbeSpec.has(container.spec(), kind)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the status before the first probe: that of this container ID in the Pod's status, or else no success. */
    private static ProbeStatus initialStatus(Pod pod, JsonNode spec, String containerId) {
        JsonNode reported = reportedStatus(pod, containerId);
        boolean started = !ProbeSpec.has(spec, ProbeKind.STARTUP)
                || reported.path("started").asBoolean(false);
        boolean ready = !ProbeSpec.has(spec, ProbeKind.READINESS)
                || reported.path("ready").asBoolean(false);
        return new ProbeStatus(started, started && ready, Optional.empty());
    }

    private static JsonNode reportedStatus(Pod pod, String containerId) {
        for (String field : List.of("containerStatuses", "initContainerStatuses")) {
            for (JsonNode status : pod.status().path(field)) {
                if (!containerId.isEmpty()
                        && status.path("containerID").asText("").endsWith("/" + containerId)) {
                    return status;
                }
            }
        }
        return MissingNode.getInstance();
    }

    private double jitterFraction() {
        synchronized (jitter) {
            return jitter.nextDouble();
        }
    }

    /** The probed containers of a Pod, by ID. */
    private final class PodProbes {
        private final ProbeEventRecorder recorder = new ProbeEventRecorder(actor, work);
        private final Map<String, ProbeWorker> workers = new HashMap<>();
        private boolean removed;

        synchronized Optional<ProbeStatus> status(String containerId) {
            return Optional.ofNullable(workers.get(containerId)).map(ProbeWorker::status);
        }

        synchronized void update(
                Pod pod, List<ObservedContainer> containers, String podAddress, Consumer<ObjectKey> requeue) {
            if (removed) {
                return;
            }
            Set<String> live = new HashSet<>();
            for (ObservedContainer container : containers) {
                if (isProbed(container)) {
                    ContainerFacts facts = container.current().orElseThrow();
                    live.add(facts.id());
                    startWorker(pod, container.spec(), facts, podAddress, requeue);
                }
            }
            workers.entrySet().removeIf(each -> {
                boolean ended = !live.contains(each.getKey());
                if (ended) {
                    each.getValue().end();
                }
                return ended;
            });
        }

        private void startWorker(
                Pod pod, JsonNode spec, ContainerFacts facts, String podAddress, Consumer<ObjectKey> requeue) {
            ProbeWorker known = workers.get(facts.id());
            if (known != null && known.isOf(pod, podAddress)) {
                return;
            }
            var view = new ProbeWorker.ProbedContainer(pod, new Prober.Target(spec, facts.id(), podAddress), requeue);
            if (known != null) {
                known.update(view);
                return;
            }
            ProbeStatus before = initialStatus(pod, spec, facts.id());
            ProbeWorker fresh = new ProbeWorker(prober, work.timers(), recorder, view, before);
            workers.put(facts.id(), fresh);
            fresh.update(view);
            Instant now = work.clock().instant();
            Duration age = Duration.between(facts.started().orElse(now), now);
            boolean adopted = now.minus(age).isBefore(startTime);
            fresh.begin(age, adopted ? jitterFraction() : 0);
        }

        synchronized void end() {
            removed = true;
            workers.values().forEach(ProbeWorker::end);
            workers.clear();
        }
    }

    /**
     * The current probe results of a container.
     *
     * @param started whether its startupProbe has succeeded; true without one
     * @param ready whether its readinessProbe succeeds; true without one, once it is started
     * @param failure the probe that exceeded its failure threshold ("startup" or "liveness"); if set, the container
     *     must be stopped
     */
    public record ProbeStatus(boolean started, boolean ready, Optional<String> failure) {}
}
