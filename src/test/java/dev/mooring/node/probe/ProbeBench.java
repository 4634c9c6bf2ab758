package dev.mooring.node.probe;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Worlds;
import dev.mooring.model.view.Pod;
import dev.mooring.node.pod.ContainerSight;
import dev.mooring.node.usage.LookoutBench;
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

/** A Pod whose one container is probed in virtual time; what it answers is up to the test. */
final class ProbeBench implements Checker {
    static final String KEY = "pods/ns/p";

    final LookoutBench node;
    final List<String> woken = new ArrayList<>();
    /** What was asked, as {@code SECOND KIND id}. */
    final List<String> asked = new ArrayList<>();

    final Map<ProbeKind, CompletionStage<Answer>> answers = new EnumMap<>(ProbeKind.class);
    private final Instant begin;
    private Probes probes;

    /** @param probesYaml the container's probes, as fields of a YAML flow mapping */
    ProbeBench(String probesYaml) {
        node = new LookoutBench("---\n{kind: Pod, metadata: {name: p, namespace: ns}, spec: {containers: [{name: c, "
                + probesYaml + "}]}}\n");
        begin = node.now();
        restart();
        for (ProbeKind kind : ProbeKind.values()) {
            answer(kind, Answer.success());
        }
    }

    void restart() {
        probes = new Probes(this, () -> {}, node.parts(), "kubelet", new Random(1));
    }

    Probes probes() {
        return probes;
    }

    ProbeBench answer(ProbeKind kind, Answer answer) {
        answers.put(kind, CompletableFuture.completedFuture(answer));
        return this;
    }

    @Override
    public CompletionStage<Answer> check(Target target, ProbeSpec probe) {
        asked.add(Duration.between(begin, node.now()).toSeconds() + " "
                + probe.kind().failure() + " " + target.containerId());
        return answers.get(probe.kind());
    }

    Pod pod() {
        return Pod.of(node.world().get(Worlds.key(node.tree(KEY))).orElseThrow());
    }

    JsonNode spec() {
        return pod().spec().path("containers").path(0);
    }

    /** The driver has seen this container run since then. */
    ProbeBench runs(String id, Instant since) {
        return sees(id, since, ContainerFacts.State.RUNNING);
    }

    ProbeBench runs(String id) {
        return runs(id, node.now());
    }

    ProbeBench ended(String id) {
        return sees(id, node.now(), ContainerFacts.State.EXITED);
    }

    private ProbeBench sees(String id, Instant since, ContainerFacts.State state) {
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
        ContainerSight sight = new ContainerSight(
                spec(),
                ContainerSight.Kind.CONTAINER,
                Optional.of(facts),
                Optional.empty(),
                Optional.empty(),
                true,
                true,
                "",
                "");
        probes.follow(pod(), List.of(sight), "10.0.0.1", key -> woken.add(key.text()));
        node.settle();
        return this;
    }

    ProbeBench pass(long seconds) {
        node.pass(Duration.ofSeconds(seconds));
        return this;
    }

    ProbeBench beingDeleted() {
        node.change(KEY, pod -> ((ObjectNode) pod.get("metadata")).put("deletionTimestamp", "2026-01-01T00:00:00Z"));
        return this;
    }

    Verdict verdict(String id) {
        return probes.verdict(pod(), spec(), id);
    }

    /** Since it was asked last. */
    List<String> asked() {
        List<String> all = List.copyOf(asked);
        asked.clear();
        return all;
    }
}
