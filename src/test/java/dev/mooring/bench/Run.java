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
 * One run of the program: what was asked for, where data may be put, what was found. Closing it, or ending the program in any way but
 * {@code kill -9}, removes the data.
 */
final class Run implements AutoCloseable {
    private final Options options;
    private final Progress progress = new Progress();
    private final Path data;
    private final Thread cleaner = new Thread(this::removeData, "bench-cleaner");
    private final List<Figure> figures = new ArrayList<>();
    private Optional<LargeLog> largeLog = Optional.empty();
    private int directories;

    Run(Options options) throws IOException {
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

    /** One of two values, for the full run and for the quick one. */
    int choose(int full, int quick) {
        return options.quick() ? quick : full;
    }

    /** A new directory on the disk that is measured. */
    Path newDirectory(String name) throws IOException {
        return Files.createDirectories(data.resolve(++directories + "-" + name));
    }

    /** Made by the first benchmark that needs it. */
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

    /** Says what is being done right now. */
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
            System.err.println("The data of the benchmarks is still in " + data + ": " + e);
        }
    }

    @Override
    public void close() {
        Runtime.getRuntime().removeShutdownHook(cleaner);
        removeData();
    }
}
