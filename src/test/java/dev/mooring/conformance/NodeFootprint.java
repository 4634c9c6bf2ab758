package dev.mooring.conformance;

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
 * What a server in this process takes up: names in its data directory, open files, threads and memory. Numbers are left out of what is
 * named, and pools, which grow and shrink as they like, are left out of threads.
 *
 * @param names in the data directory without the log
 * @param pools threads that wait for work and end when none comes for a while
 */
record NodeFootprint(
        List<String> names,
        Map<String, Integer> descriptors,
        Map<String, Integer> threads,
        Map<String, Integer> pools,
        long heap) {
    private static final Pattern POOLS =
            Pattern.compile("(mooring-work|RxCached|HttpClient|node-watch|pool|vert.x-worker"
                    + "|ForkJoinPool|process reaper|Thread|Attach|Cleaner|Keep-Alive).*");

    static NodeFootprint of(Path data) {
        NodeMachine machine = new NodeMachine(data);
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
                // Connections come and go with those who use them, and files of the log as it grows.
                boolean matters = !target.startsWith("socket:")
                        && !target.startsWith(data.resolve("log").toString());
                if (matters && !target.isEmpty()) {
                    counts.merge(target.replace(data.toString(), "DATA").replaceAll("[0-9]+", "#"), 1, Integer::sum);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return counts;
    }

    /** "" if it has been closed meanwhile. */
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

    /** The least of a few collections: what is only softly held goes step by step. */
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
