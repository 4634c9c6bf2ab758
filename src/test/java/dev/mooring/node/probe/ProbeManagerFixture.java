package dev.mooring.node.probe;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.ObservedContainer;
import dev.mooring.node.monitor.NodeControllersFixture;
import dev.mooring.runtime.ContainerFacts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Probes the one container of a Pod in virtual time; the test sets the results. */
final class ProbeManagerFixture implements Prober {
    static final String KEY = "pods/ns/p";

    final NodeControllersFixture node;
    final List<String> requeued = new ArrayList<>();
    /** Probes since the last call of {@link #probed}, as {@code SECOND KIND id}. */
    final List<String> probed = new ArrayList<>();

    final Map<ProbeKind, CompletionStage<Prober.ProbeResult>> results = new EnumMap<>(ProbeKind.class);
    private final Instant start;
    private ProbeManager probes;

    /** @param probesYaml the container's probes, as fields of a YAML flow mapping */
    ProbeManagerFixture(String probesYaml) {
        node = new NodeControllersFixture(
                "---\n{kind: Pod, metadata: {name: p, namespace: ns}, spec: {containers: [{name: c, " + probesYaml
                        + "}]}}\n");
        start = node.now();
        restart();
        for (ProbeKind kind : ProbeKind.values()) {
            setResult(kind, Prober.ProbeResult.success());
        }
    }

    void restart() {
        probes = new ProbeManager(this, () -> {}, node.context(), "kubelet", new Random(1));
    }

    ProbeManager probes() {
        return probes;
    }

    ProbeManagerFixture setResult(ProbeKind kind, Prober.ProbeResult result) {
        results.put(kind, CompletableFuture.completedFuture(result));
        return this;
    }

    @Override
    public CompletionStage<Prober.ProbeResult> probe(Target target, ProbeSpec probe) {
        probed.add(Duration.between(start, node.now()).toSeconds() + " "
                + probe.kind().failureName() + " " + target.containerId());
        return results.get(probe.kind());
    }

    Pod pod() {
        return Pod.of(node.world().get(WorldFixture.key(node.tree(KEY))).orElseThrow());
    }

    JsonNode spec() {
        return pod().spec().path("containers").path(0);
    }

    /** Reports a container that has been running since then. */
    ProbeManagerFixture observeRunning(String id, Instant since) {
        return observe(id, since, ContainerFacts.State.RUNNING);
    }

    ProbeManagerFixture observeRunning(String id) {
        return observeRunning(id, node.now());
    }

    ProbeManagerFixture observeEnded(String id) {
        return observe(id, node.now(), ContainerFacts.State.EXITED);
    }

    private ProbeManagerFixture observe(String id, Instant since, ContainerFacts.State state) {
        ContainerFacts facts = new ContainerFacts(
                id,
                "c",
                "i",
                "sha256:i",
                Map.of(),
                state,
                since,
                Optional.of(since),
                Optional.empty(),
                0,
                false,
                "",
                "");
        ObservedContainer container = new ObservedContainer(
                spec(),
                ObservedContainer.Kind.CONTAINER,
                Optional.of(facts),
                Optional.empty(),
                Optional.empty(),
                true,
                true,
                "",
                "");
        probes.updatePod(pod(), List.of(container), "10.0.0.1", key -> requeued.add(key.text()));
        node.settle();
        return this;
    }

    ProbeManagerFixture pass(long seconds) {
        node.pass(Duration.ofSeconds(seconds));
        return this;
    }

    ProbeManagerFixture deletePod() {
        node.change(KEY, pod -> ((ObjectNode) pod.get("metadata")).put("deletionTimestamp", "2026-01-01T00:00:00Z"));
        return this;
    }

    ProbeManager.ProbeStatus status(String id) {
        return probes.status(pod(), spec(), id);
    }

    /** Returns the probes since the last call. */
    List<String> probed() {
        List<String> all = List.copyOf(probed);
        probed.clear();
        return all;
    }
}
