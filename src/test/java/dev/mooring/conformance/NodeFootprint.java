package dev.mooring.conformance;

import dev.mooring.testing.HostInspector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Resources that a server in this process uses: files in its data directory, open files, threads and memory. Digits in
 * names are masked; pool threads, whose number varies, are counted separately.
 *
 * @param names files in the data directory except the log
 * @param pools threads that wait for work and end after some idle time
 */
record NodeFootprint(
        List<String> names,
        Map<String, Integer> descriptors,
        Map<String, Integer> threads,
        Map<String, Integer> pools,
        long heap) {
    private static final Pattern POOLS = Pattern.compile(
            "(mooring-work|mooring-log-reads|Rx|HttpClient|node-watch|pool|vert.x-worker|vert.x-internal-blocking|CompletableFutureDelayScheduler|ForkJoinPool|process"
                + " reaper|Thread|Attach|Cleaner|Keep-Alive).*");

    static NodeFootprint of(Path data) {
        HostInspector machine = new HostInspector(data);
        List<String> names = machine.names("").stream()
                .filter(each -> !each.startsWith("log"))
                .toList();
        Map<String, Integer> threads = threadsNow();
        Map<String, Integer> pools = new TreeMap<>(threads);
        pools.keySet().removeIf(each -> !POOLS.matcher(each).matches());
        threads.keySet().removeAll(pools.keySet());
        return new NodeFootprint(names, descriptorsOf(data), threads, pools, heapNow());
    }

    private static Map<String, Integer> descriptorsOf(Path data) {
        Map<String, Integer> counts = new TreeMap<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path each : all) {
                String target = target(each);
                // The number of connections depends on the clients, and that of log files on the size of the log.
                boolean isRelevant = !target.startsWith("socket:")
                        && !target.startsWith(data.resolve("log").toString());
                if (isRelevant && !target.isEmpty()) {
                    counts.merge(target.replace(data.toString(), "DATA").replaceAll("[0-9]+", "#"), 1, Integer::sum);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return counts;
    }

    /** Target of a descriptor; "" if it has been closed in the meantime. */
    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return "";
        }
    }

    private static Map<String, Integer> threadsNow() {
        Map<String, Integer> counts = new TreeMap<>();
        for (Thread each : Thread.getAllStackTraces().keySet()) {
            counts.merge(each.getName().replaceAll("[0-9]+", "#"), 1, Integer::sum);
        }
        return counts;
    }

    /** Used heap; the minimum after several collections, because soft references are cleared gradually. */
    private static long heapNow() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            least = Collections.min(List.of(
                    least,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed()));
        }
        return least;
    }
}
