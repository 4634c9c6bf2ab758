package dev.mooring.bench;

import dev.mooring.testing.RealEngine;
import java.nio.file.Path;
import java.util.List;

/**
 * Measures from a Pod's creation to its running container, and from its deletion to its removal, alternating with
 * Docker alone on the same engine.
 */
final class PodStartBenchmark implements Benchmark {
    private static final String DOCKER_RUN = "docker run -d";
    private static final String CALLS = "create and start alone";
    private static final String DOCKER_RM = "docker rm -f";

    /** A Pod has two containers instead of one, and controllers. */
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
    public void run(BenchmarkRun run) throws Exception {
        int count = run.choose(8, 2);
        int rounds = run.choose(5, 1);
        Path directory = run.newDirectory("pods");
        run.step("starting an engine");
        RealEngine engine = RealEngine.shared();
        try (BenchmarkMounts mounts = new BenchmarkMounts(directory);
                DockerBaseline docker = new DockerBaseline(engine, directory);
                ApiServer server = ApiServer.withEngine(directory, engine.host());
                PodStartFixture fixture = new PodStartFixture(server, directory, docker)) {
            String claimed = PodObjects.claimed(fixture.claims(1).get(0));
            run.step("warming up");
            Kinds unused = new Kinds();
            for (int i = 0; i < run.choose(12, 1); i++) {
                unused.cycle(fixture, docker, claimed);
            }
            Kinds kinds = new Kinds();
            for (int round = 0; round < rounds; round++) {
                run.step("round " + (round + 1) + " of " + rounds);
                for (int i = 0; i < count; i++) {
                    kinds.cycle(fixture, docker, claimed);
                }
                kinds.endRound();
            }
            kinds.report(run);
            many(run, fixture, docker);
        }
    }

    /** All compared kinds. */
    private static final class Kinds {
        private final PodSeries run = new PodSeries();
        private final PodSeries calls = new PodSeries();
        private final PodSeries claim = new PodSeries();
        private final PodSeries emptyDir = new PodSeries();
        private final PodSeries together = new PodSeries();

        /** Starts and ends one of each kind; containers get time to install their signal handlers first. */
        void cycle(PodStartFixture fixture, DockerBaseline docker, String claimed) throws Exception {
            PodStart byRun = docker.dockerRun();
            PodStart withClaim = fixture.start(claimed);
            PodStart byCalls = docker.calls();
            PodStart withEmptyDir = fixture.start(PodObjects.EMPTY_DIR);
            PodStart withAll = fixture.startTogether();
            run.started(byRun);
            claim.started(withClaim);
            calls.started(byCalls);
            emptyDir.started(withEmptyDir);
            together.started(withAll);
            run.ended(docker.remove(List.of(byRun.name())));
            claim.ended(fixture.delete(withClaim));
            calls.ended(docker.remove(List.of(byCalls.name())));
            emptyDir.ended(fixture.delete(withEmptyDir));
            together.ended(fixture.delete(withAll));
        }

        void endRound() {
            List.of(run, calls, claim, emptyDir, together).forEach(PodSeries::endRound);
        }

        void report(BenchmarkRun to) {
            to.report(Figure.of("with a claim, p50", MeasureUnit.SECONDS, claim.seenP50)
                    .against("1.2 x docker run + 20 ms", allowed(run.seenP50))
                    .goal(Goal.ratioBelow(1)));
            to.report(Figure.of("with a claim, p50", MeasureUnit.SECONDS, claim.seenP50)
                    .against(DOCKER_RUN, run.seenP50));
            to.report(Figure.of("with a claim, p50", MeasureUnit.SECONDS, claim.seenP50)
                    .against(CALLS, calls.seenP50));
            to.report(Figure.of("the same, by the engine's clock", MeasureUnit.SECONDS, claim.runningP50)
                    .against(DOCKER_RUN, run.runningP50)
                    .detail(CALLS, MeasureUnit.SECONDS, calls.runningP50.median()));
            to.report(Figure.of("with a claim, p99", MeasureUnit.SECONDS, claim.seenP99())
                    .against(DOCKER_RUN, run.seenP99()));
            to.report(Figure.of("with an emptyDir, p50", MeasureUnit.SECONDS, emptyDir.seenP50)
                    .against(DOCKER_RUN, run.seenP50)
                    .detail("p99", MeasureUnit.SECONDS, emptyDir.seenP99().median()));
            to.report(Figure.of("PV, claim and Pod at once, p50", MeasureUnit.SECONDS, together.seenP50)
                    .against("1.2 x docker run + 20 ms", allowed(run.seenP50))
                    .detail("p99", MeasureUnit.SECONDS, together.seenP99().median()));
            to.report(Figure.of("deleted, until it is gone, p50", MeasureUnit.SECONDS, claim.goneP50)
                    .against(DOCKER_RM, run.goneP50));
        }

        private static Measurements allowed(Measurements dockerRun) {
            return Measurements.of(dockerRun.values().stream()
                    .mapToDouble(each -> FACTOR * each + EXTRA_SECONDS)
                    .toArray());
        }
    }

    private static void many(BenchmarkRun run, PodStartFixture fixture, DockerBaseline docker) throws Exception {
        int count = run.choose(50, 5);
        List<String> claims = fixture.claims(count);
        Measurements pods = new Measurements();
        Measurements podsGone = new Measurements();
        Measurements byRun = new Measurements();
        Measurements byRunGone = new Measurements();
        Measurements byCalls = new Measurements();
        for (int round = 0; round < run.choose(3, 1); round++) {
            run.step(count + " at once, round " + (round + 1));
            List<String> podNames = fixture.names(count);
            List<String> runNames = docker.names(count);
            List<String> callNames = docker.names(count);
            byRun.add(docker.dockerRunAll(runNames));
            byRunGone.add(docker.remove(runNames));
            pods.add(fixture.startAll(podNames, claims));
            podsGone.add(fixture.deleteAll(podNames));
            byCalls.add(docker.callAll(callNames));
            docker.remove(callNames);
        }
        run.report(Figure.of(count + " Pods at once, until all run", MeasureUnit.SECONDS, pods)
                .against(count + " docker run at once", byRun)
                .goal(Goal.ratioBelow(1.0))
                .detail(CALLS, MeasureUnit.SECONDS, byCalls.median()));
        run.report(Figure.of(count + " deleted, until all are gone", MeasureUnit.SECONDS, podsGone)
                .against(DOCKER_RM + ", 8 at a time", byRunGone));
    }
}
