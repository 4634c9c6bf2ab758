package dev.mooring.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Draft;
import dev.mooring.model.Json;
import dev.mooring.model.ObjectKey;
import dev.mooring.replay.explain.Explainer;
import dev.mooring.replay.explain.Explanation;
import dev.mooring.replay.explain.PastEvents;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;

/**
 * Measures explanations in a live World of 10,000 objects: of claims that no volume matches, of claims whose class was
 * deleted, which reads the log, and of Pods that wait for such claims.
 */
final class ExplainBenchmark implements Benchmark {
    private static final double GOAL_SECONDS = 0.02;
    private static final int PAIRS = 3_333;

    @Override
    public String name() {
        return "explain";
    }

    @Override
    public String title() {
        return "Explain a live object among 10,000";
    }

    @Override
    public void run(BenchmarkRun run) throws Exception {
        try (RunningLedger running = RunningLedger.open(run.newDirectory("explain"))) {
            run.step("creating objects");
            create(running);
            Explainer explainer = new Explainer(PastEvents.of(running.log()));
            measure(run, running, explainer, "claim that no volume matches", "persistentvolumeclaims/shop/any-");
            measure(run, running, explainer, "claim whose class was deleted", "persistentvolumeclaims/shop/fast-");
            measure(run, running, explainer, "Pod that waits for a claim", "pods/shop/web-");
        }
    }

    private static void create(RunningLedger running) throws JsonProcessingException {
        List<CompletionStage<Outcome>> commits = new ArrayList<>();
        String fast = "{'apiVersion':'storage.k8s.io/v1','kind':'StorageClass','metadata':{'name':'fast','uid':'fast'},"
                + "'provisioner':'mooring.dev/hostpath'}";
        running.commit(put("storageclasses.storage.k8s.io/fast", fast))
                .toCompletableFuture()
                .join();
        running.commit(Proposal.by("admin", "Deleted")
                        .remove(running.ledger()
                                .world()
                                .get(ObjectKey.parse("storageclasses.storage.k8s.io/fast"))
                                .orElseThrow())
                        .build())
                .toCompletableFuture()
                .join();
        for (int i = 0; i < PAIRS; i++) {
            String claim = (i % 2 == 0 ? "any-" : "fast-") + i;
            commits.add(running.commit(put(
                    "persistentvolumes/disk-" + i,
                    "{'apiVersion':'v1','kind':'PersistentVolume','metadata':{'name':'disk-" + i + "','uid':'v" + i
                            + "'},'spec':{'capacity':{'storage':'1Gi'},'accessModes':['ReadWriteOnce'],'hostPath':"
                            + "{'path':'/srv/" + i + "'}},'status':{'phase':'Available'}}")));
            commits.add(running.commit(put(
                    "persistentvolumeclaims/shop/" + claim,
                    "{'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'" + claim
                            + "','namespace':'shop','uid':'c" + i + "'},'spec':{'storageClassName':'"
                            + (i % 2 == 0 ? "" : "fast")
                            + "','accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'5Gi'}}},"
                            + "'status':{'phase':'Pending'}}")));
            commits.add(running.commit(put(
                    "pods/shop/web-" + i,
                    "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'web-" + i + "','namespace':'shop','uid':'p" + i
                            + "'},'spec':{'containers':[{'name':'main','image':'busybox'}],'volumes':[{'name':'d',"
                            + "'persistentVolumeClaim':{'claimName':'" + claim
                            + "'}}]},'status':{'phase':'Pending'}}")));
        }
        commits.forEach(each -> each.toCompletableFuture().join());
    }

    private static Proposal put(String key, String json) throws JsonProcessingException {
        ObjectNode object = (ObjectNode) Json.MAPPER.readTree(json.replace('\'', '"'));
        return Proposal.by("admin", "Created")
                .create(Draft.of(ObjectKey.parse(key), object))
                .build();
    }

    private static void measure(
            BenchmarkRun run, RunningLedger running, Explainer explainer, String what, String prefix) {
        int warmUp = run.choose(200, 50);
        int count = run.choose(1000, 200);
        Measurements seconds = new Measurements();
        Random random = new Random(3);
        World world = running.ledger().world();
        for (int i = 0; i < warmUp + count; i++) {
            int number = random.nextInt(PAIRS / 2) * 2 + (prefix.contains("fast") ? 1 : 0);
            ObjectKey key = ObjectKey.parse(prefix + number);
            Stopwatch watch = new Stopwatch();
            Explanation explanation =
                    explainer.explain(world, key, Instant.EPOCH, unused -> true).orElseThrow();
            int length = explanation.json().toString().length();
            double elapsed = watch.seconds();
            if (length == 0 || explanation.root().because().isEmpty()) {
                throw new IllegalStateException(key + " has no cause: " + explanation.json());
            }
            if (i >= warmUp) {
                run.step(what + ", " + (i - warmUp + 1) + " of " + count);
                seconds.add(elapsed);
            }
        }
        run.report(Figure.of(what, MeasureUnit.SECONDS, Measurements.of(seconds.median()))
                .goal(Goal.below(GOAL_SECONDS))
                .detail("p99", MeasureUnit.SECONDS, seconds.percentile(99))
                .detail("slowest", MeasureUnit.SECONDS, seconds.max())
                .note("objects", Integer.toString(world.size())));
    }
}
