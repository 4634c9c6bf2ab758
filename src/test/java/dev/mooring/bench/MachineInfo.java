package dev.mooring.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Stream;

/** The machine on which the figures were measured. */
record MachineInfo(
        String date,
        String revision,
        String cpu,
        int cores,
        long memoryBytes,
        String kernel,
        String fileSystem,
        String jvm,
        List<String> jvmOptions,
        String loadAverageBefore) {
    static MachineInfo here(Path output) throws IOException {
        Files.createDirectories(output);
        return new MachineInfo(
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                sourceRevision(),
                field(Path.of("/proc/cpuinfo"), "model name"),
                Runtime.getRuntime().availableProcessors(),
                kibibytes(field(Path.of("/proc/meminfo"), "MemTotal")) << 10,
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                Files.getFileStore(output).type() + " on "
                        + Files.getFileStore(output).name(),
                System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"),
                ManagementFactory.getRuntimeMXBean().getInputArguments(),
                Double.toString(ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()));
    }

    String line() {
        return date + " · " + cpu + " · " + cores + " cores · " + MeasureUnit.BYTES.text((double) memoryBytes) + " · "
                + kernel + " · " + fileSystem + " · " + jvm + " " + String.join(" ", jvmOptions);
    }

    private static long kibibytes(String text) {
        String digits = text.replaceAll("\\D", "");
        return digits.isEmpty() ? 0 : Long.parseLong(digits);
    }

    private static String field(Path file, String name) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith(name))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }

    private static String sourceRevision() {
        try {
            Process git = new ProcessBuilder("git", "describe", "--always", "--dirty").start();
            String text = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return text.isBlank() ? "unknown" : text.strip();
        } catch (IOException e) {
            return "unknown";
        }
    }
}
