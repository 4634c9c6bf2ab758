package dev.mooring.bench;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the benchmarks; prints a table and writes JSON. Goals are reported, not enforced: the exit code is 1 only if a
 * benchmark fails.
 */
public final class Bench {
    private static final Logger LOG = LoggerFactory.getLogger(Bench.class);

    static final List<Benchmark> ALL = List.of(
            new AppendBenchmark(),
            new ReplayBenchmark(),
            new OpenBenchmark(),
            new TimeTravelBenchmark(),
            new ExplainBenchmark(),
            new FanOutBenchmark(),
            new MemoryBenchmark(),
            new StartUpBenchmark(),
            new ApiCreateBenchmark(),
            new ApiReadBenchmark(),
            new ApiWatchBenchmark(),
            new BindBurstBenchmark(),
            new BindLatencyBenchmark(),
            new BindAtScaleBenchmark(),
            new BindIdleBenchmark(),
            new VolumeMountBenchmark(),
            new VolumeIdleBenchmark(),
            new PodStartBenchmark(),
            new DockerVolumeBenchmark(),
            new PageBenchmark());

    private Bench() {}

    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BenchOptions options;
        try {
            options = BenchOptions.parse(
                    List.of(args), ALL.stream().map(Benchmark::name).toList());
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(2);
            return;
        }
        System.exit(run(options, out) ? 0 : 1);
    }

    private static boolean run(BenchOptions options, PrintStream out) throws Exception {
        MachineInfo machine = MachineInfo.here(options.output());
        ResultTable table = new ResultTable(out);
        JsonResults json = new JsonResults(machine, options);
        table.header(machine, options);
        boolean succeeded = true;
        List<Benchmark> selected = ALL.stream()
                .filter(benchmark -> options.isSelected(benchmark.name()))
                .toList();
        try (BenchmarkRun run = new BenchmarkRun(options)) {
            for (Benchmark benchmark : selected) {
                run.begin(benchmark, selected.indexOf(benchmark) + 1, selected.size());
                try {
                    benchmark.run(run);
                } catch (Exception e) {
                    succeeded = false;
                    run.clearProgress();
                    LOG.atError().setCause(e).log("Benchmark {} failed", benchmark.name());
                    json.broken(benchmark, e);
                }
                run.clearProgress();
                List<Figure> figures = run.figures();
                table.group(benchmark.title(), figures);
                json.add(benchmark, figures);
            }
        }
        Path file = Files.createDirectories(options.output()).resolve("results.json");
        json.write(file);
        table.footer(file);
        return succeeded;
    }
}
