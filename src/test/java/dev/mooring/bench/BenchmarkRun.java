package dev.mooring.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One run of the benchmarks: options, data directory and results. The data is removed on close and at any end of the
 * program except {@code kill -9}.
 */
final class BenchmarkRun implements AutoCloseable {
    private final BenchOptions options;
    private final ProgressLine progress = new ProgressLine();
    private final Path data;
    private final Thread cleaner = new Thread(this::removeData, "bench-cleaner");
    private final List<Figure> figures = new ArrayList<>();
    private Optional<LargeLog> largeLog = Optional.empty();
    private int directories;

    BenchmarkRun(BenchOptions options) throws IOException {
        this.options = options;
        // On the file system of the work tree and not in /tmp, which may be memory.
        this.data = options.output().resolve("data").toAbsolutePath();
        removeData();
        Files.createDirectories(data);
        Runtime.getRuntime().addShutdownHook(cleaner);
    }

    boolean quick() {
        return options.quick();
    }

    /** Returns one of two values, for a full or a quick run. */
    int choose(int full, int quick) {
        return options.quick() ? quick : full;
    }

    /** Creates a new directory on the measured disk. */
    Path newDirectory(String name) throws IOException {
        return Files.createDirectories(data.resolve(++directories + "-" + name));
    }

    /** Returns the large log, which the first benchmark that needs it creates. */
    LargeLog largeLog() throws IOException {
        if (largeLog.isEmpty()) {
            step("writing a log of many events");
            largeLog = Optional.of(LargeLog.write(newDirectory("large-log"), choose(1_000_000, 200_000)));
        }
        return largeLog.get();
    }

    void begin(Benchmark benchmark, int number, int of) {
        figures.clear();
        progress.begin("[" + number + "/" + of + "] " + benchmark.name());
    }

    /** Shows the current step. */
    void step(String what) {
        progress.show(what);
    }

    void clearProgress() {
        progress.clear();
    }

    void report(Figure figure) {
        figures.add(figure);
    }

    List<Figure> figures() {
        return List.copyOf(figures);
    }

    static void remove(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }

    private void removeData() {
        try {
            remove(data);
        } catch (IOException e) {
            System.err.println("Failed to remove the benchmarks' data in " + data + ": " + e);
        }
    }

    @Override
    public void close() {
        Runtime.getRuntime().removeShutdownHook(cleaner);
        removeData();
    }
}
