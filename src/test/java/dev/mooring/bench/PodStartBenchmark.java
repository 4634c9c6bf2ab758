package dev.mooring.bench;

import dev.mooring.testing.RealEngine;
import java.nio.file.Path;
import java.util.List;

/** From a Pod's creation to its running container, and from its deletion until it is gone, against Docker alone on the same engine, in turns. */
final class PodStartBenchmark implements Benchmark {
    private static final String DOCKER_RUN = "docker run -d";
    private static final String CALLS = "create and start alone";
    private static final String DOCKER_RM = "docker rm -f";

    /** A Pod has two containers where {@code docker run} has one, and somebody who decides. */
    private static final double FACTOR = 1.2;

    private static final double EXTRA_SECONDS = 0.020;

    @Override
    public String name() {
        return "pod-start";
    }

    @Override
    public String title() {
        return "From the creation of a Pod to its running container with a volume";
    }

    @Override
    public void run(Run run) throws Exception {
        int count = run.choose(8, 2);
        int rounds = run.choose(5, 1);
        Path directory = run.newDirectory("pods");
        run.step("starting an engine");
        RealEngine engine = RealEngine.shared();
        try (VolumeMounts mounts = new VolumeMounts(directory);
                PodYardsticks docker = new PodYardsticks(engine, directory);
                ApiServer server = ApiServer.withEngine(directory, engine.host());
                PodStage stage = new PodStage(server, directory, docker)) {
            String claimed = PodObjects.claimed(stage.claims(1).get(0));
            run.step("warming up");
            Kinds unused = new Kinds();
            for (int i = 0; i < run.choose(12, 1); i++) {
                unused.cycle(stage, docker, claimed);
            }
            Kinds kinds = new Kinds();
            for (int round = 0; round < rounds; round++) {
                run.step("round " + (round + 1) + " of " + rounds);
                for (int i = 0; i < count; i++) {
                    kinds.cycle(stage, docker, claimed);
                }
                kinds.endRound();
            }
            kinds.report(run);
            many(run, stage, docker);
        }
    }

    /** All that is compared. */
    private static final class Kinds {
        private final PodSeries run = new PodSeries();
        private final PodSeries calls = new PodSeries();
        private final PodSeries claim = new PodSeries();
        private final PodSeries emptyDir = new PodSeries();
        private final PodSeries together = new PodSeries();

        /** One of each. They are ended when they have had time to learn how. */
        void cycle(PodStage stage, PodYardsticks docker, String claimed) throws Exception {
            PodStart byRun = docker.dockerRun();
            PodStart withClaim = stage.start(claimed);
            PodStart byCalls = docker.calls();
            PodStart withEmptyDir = stage.start(PodObjects.EMPTY_DIR);
            PodStart withAll = stage.startTogether();
            run.started(byRun);
            claim.started(withClaim);
            calls.started(byCalls);
            emptyDir.started(withEmptyDir);
            together.started(withAll);
            run.ended(docker.remove(List.of(byRun.name())));
            claim.ended(stage.delete(withClaim));
            calls.ended(docker.remove(List.of(byCalls.name())));
            emptyDir.ended(stage.delete(withEmptyDir));
            together.ended(stage.delete(withAll));
        }

        void endRound() {
            List.of(run, calls, claim, emptyDir, together).forEach(PodSeries::endRound);
        }

        void report(Run to) {
            to.report(Figure.of("with a claim, p50", Unit.SECONDS, claim.seenP50)
                    .against("1.2 x docker run + 20 ms", allowed(run.seenP50))
                    .goal(Goal.ratioBelow(1)));
            to.report(
                    Figure.of("with a claim, p50", Unit.SECONDS, claim.seenP50).against(DOCKER_RUN, run.seenP50));
            to.report(
                    Figure.of("with a claim, p50", Unit.SECONDS, claim.seenP50).against(CALLS, calls.seenP50));
            to.report(Figure.of("the same, by the engine's clock", Unit.SECONDS, claim.runningP50)
                    .against(DOCKER_RUN, run.runningP50)
                    .detail(CALLS, Unit.SECONDS, calls.runningP50.median()));
            to.report(Figure.of("with a claim, p99", Unit.SECONDS, claim.seenP99())
                    .against(DOCKER_RUN, run.seenP99()));
            to.report(Figure.of("with an emptyDir, p50", Unit.SECONDS, emptyDir.seenP50)
                    .against(DOCKER_RUN, run.seenP50)
                    .detail("p99", Unit.SECONDS, emptyDir.seenP99().median()));
            to.report(Figure.of("PV, claim and Pod at once, p50", Unit.SECONDS, together.seenP50)
                    .against("1.2 x docker run + 20 ms", allowed(run.seenP50))
                    .detail("p99", Unit.SECONDS, together.seenP99().median()));
            to.report(Figure.of("deleted, until it is gone, p50", Unit.SECONDS, claim.goneP50)
                    .against(DOCKER_RM, run.goneP50));
        }

        private static Rounds allowed(Rounds dockerRun) {
            return Rounds.of(dockerRun.values().stream()
                    .mapToDouble(each -> FACTOR * each + EXTRA_SECONDS)
                    .toArray());
        }
    }

    private static void many(Run run, PodStage stage, PodYardsticks docker) throws Exception {
        int count = run.choose(50, 5);
        List<String> claims = stage.claims(count);
        Rounds pods = new Rounds();
        Rounds podsGone = new Rounds();
        Rounds byRun = new Rounds();
        Rounds byRunGone = new Rounds();
        Rounds byCalls = new Rounds();
        for (int round = 0; round < run.choose(3, 1); round++) {
            run.step(count + " at once, round " + (round + 1));
            List<String> podNames = stage.names(count);
            List<String> runNames = docker.names(count);
            List<String> callNames = docker.names(count);
            byRun.add(docker.dockerRunAll(runNames));
            byRunGone.add(docker.remove(runNames));
            pods.add(stage.startAll(podNames, claims));
            podsGone.add(stage.deleteAll(podNames));
            byCalls.add(docker.callAll(callNames));
            docker.remove(callNames);
        }
        run.report(Figure.of(count + " Pods at once, until all run", Unit.SECONDS, pods)
                .against(count + " docker run at once", byRun)
                .goal(Goal.ratioBelow(1.0))
                .detail(CALLS, Unit.SECONDS, byCalls.median()));
        run.report(Figure.of(count + " deleted, until all are gone", Unit.SECONDS, podsGone)
                .against(DOCKER_RM + ", 8 at a time", byRunGone));
    }
}
