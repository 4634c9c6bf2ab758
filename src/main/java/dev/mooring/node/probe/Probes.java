package dev.mooring.node.probe;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.node.pod.ContainerSight;
import dev.mooring.node.work.WorkParts;
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
 * Asks containers that run how they are, as often as their probes say, and knows what they answered.
 *
 * <p>Who drives a Pod tells what it has seen with {@link #follow}, as often as it likes, and asks with {@link #verdict}; it is woken when that
 * has changed. Nothing is kept of a container that has ended. Thread-safe, and no method blocks.
 *
 * <p>Of a container that ran before this Mooring did, what the Pod's status says of it holds until its probes say otherwise: a restart of
 * Mooring makes no Pod unready.
 */
public final class Probes implements AutoCloseable {
    private final Checker checker;
    private final AutoCloseable held;
    private final WorkParts work;
    private final String actor;
    private final Random jitter;
    private final Instant begun;
    private final Map<String, PodWatch> pods = new ConcurrentHashMap<>();

    /**
     * @param actor who tells Pods what was found
     * @param jitter spreads the probes of containers that were running before, so that not all are asked at once
     */
    public Probes(ContainerRuntime runtime, WorkParts work, String actor, Random jitter) {
        this(new Checks(runtime, work), work, actor, jitter);
    }

    private Probes(Checks checks, WorkParts work, String actor, Random jitter) {
        this(checks, checks, work, actor, jitter);
    }

    Probes(Checker checker, AutoCloseable held, WorkParts work, String actor, Random jitter) {
        this.checker = checker;
        this.held = held;
        this.work = work;
        this.actor = actor;
        this.jitter = jitter;
        this.begun = work.clock().instant();
    }

    /**
     * Probes these of its containers that run and have probes, and no others of it any more.
     *
     * @param podAddress "" if it has none
     * @param wake is called with the Pod's key when a verdict has changed; on any thread, must not block
     */
    public void follow(Pod pod, List<ContainerSight> containers, String podAddress, Consumer<ObjectKey> wake) {
        boolean any = containers.stream().anyMatch(Probes::isProbed);
        PodWatch watch = any ? pods.computeIfAbsent(pod.uid(), uid -> new PodWatch()) : pods.get(pod.uid());
        if (watch != null) {
            watch.follow(pod, containers, podAddress, wake);
        }
    }

    /** What is known of a container that runs. Of one that was not followed yet, what holds before anything is asked. */
    public Verdict verdict(Pod pod, JsonNode containerSpec, String containerId) {
        return Optional.ofNullable(pods.get(pod.uid()))
                .flatMap(watch -> watch.verdict(containerId))
                .orElseGet(() -> before(pod, containerSpec, containerId));
    }

    /** The time a container has to end when this probe has failed, if that is another than the Pod's. */
    public static OptionalLong graceSeconds(JsonNode containerSpec, String failure) {
        JsonNode grace = containerSpec.path(failure + "Probe").path("terminationGracePeriodSeconds");
        return grace.isIntegralNumber() ? OptionalLong.of(grace.asLong()) : OptionalLong.empty();
    }

    /** Ends all probing of a Pod. */
    public void forget(String podUid) {
        PodWatch watch = pods.remove(podUid);
        if (watch != null) {
            watch.end();
        }
    }

    @Override
    public void close() {
        List.copyOf(pods.keySet()).forEach(this::forget);
        try {
            held.close();
        } catch (Exception e) {
            throw new IllegalStateException("Expected to let go of what probes use, but could not", e);
        }
    }

    private static boolean isProbed(ContainerSight container) {
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

    /** What holds before a probe was asked: what the Pod's status says of this very container, or that nothing has succeeded. */
    private static Verdict before(Pod pod, JsonNode spec, String containerId) {
        JsonNode told = toldOf(pod, containerId);
        boolean started =
                !ProbeSpec.has(spec, ProbeKind.STARTUP) || told.path("started").asBoolean(false);
        boolean ready =
                !ProbeSpec.has(spec, ProbeKind.READINESS) || told.path("ready").asBoolean(false);
        return new Verdict(started, started && ready, Optional.empty());
    }

    private static JsonNode toldOf(Pod pod, String containerId) {
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

    private double chance() {
        synchronized (jitter) {
            return jitter.nextDouble();
        }
    }

    /** A Pod's containers that are probed, by id. */
    private final class PodWatch {
        private final ProbeTeller teller = new ProbeTeller(actor, work);
        private final Map<String, ContainerWatch> watches = new HashMap<>();
        private boolean forgotten;

        synchronized Optional<Verdict> verdict(String containerId) {
            return Optional.ofNullable(watches.get(containerId)).map(ContainerWatch::verdict);
        }

        synchronized void follow(
                Pod pod, List<ContainerSight> containers, String podAddress, Consumer<ObjectKey> wake) {
            if (forgotten) {
                return;
            }
            Set<String> live = new HashSet<>();
            for (ContainerSight container : containers) {
                if (isProbed(container)) {
                    ContainerFacts facts = container.current().orElseThrow();
                    live.add(facts.id());
                    watch(pod, container.spec(), facts, podAddress, wake);
                }
            }
            watches.entrySet().removeIf(each -> {
                boolean ended = !live.contains(each.getKey());
                if (ended) {
                    each.getValue().end();
                }
                return ended;
            });
        }

        private void watch(Pod pod, JsonNode spec, ContainerFacts facts, String podAddress, Consumer<ObjectKey> wake) {
            ContainerWatch known = watches.get(facts.id());
            if (known != null && known.isOf(pod, podAddress)) {
                return;
            }
            var view = new ContainerWatch.View(pod, new Checker.Target(spec, facts.id(), podAddress), wake);
            if (known != null) {
                known.update(view);
                return;
            }
            Verdict before = before(pod, spec, facts.id());
            ContainerWatch fresh = new ContainerWatch(checker, work.timers(), teller, view, before);
            watches.put(facts.id(), fresh);
            fresh.update(view);
            Instant now = work.clock().instant();
            Duration age = Duration.between(facts.started().orElse(now), now);
            boolean adopted = now.minus(age).isBefore(begun);
            fresh.begin(age, adopted ? chance() : 0);
        }

        synchronized void end() {
            forgotten = true;
            watches.values().forEach(ContainerWatch::end);
            watches.clear();
        }
    }
}
