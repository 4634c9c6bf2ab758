package dev.mooring.sim.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.testing.ParallelTasks;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Shows that the simulation detects each injected fault within its limit of runs. */
class InjectedFaultsTest {
    private static final int PROCESSES = 2;

    @Test
    @Timeout(900)
    void simulation_eachInjectedFault_isDetectedWithinMaxRuns() throws Exception {
        List<String> output = new ArrayList<>();
        try (ParallelTasks tasks = new ParallelTasks()) {
            List<Callable<List<String>>> processes = new ArrayList<>();
            for (int i = 0; i < PROCESSES; i++) {
                List<String> share = share(i);
                processes.add(tasks.submit(() -> runProcess(share)));
            }
            for (Callable<List<String>> each : processes) {
                output.addAll(each.call());
            }
        }
        for (InjectedFault fault : InjectedFaults.ALL) {
            assertThat(output)
                    .as(fault.description())
                    .anyMatch(line -> line.startsWith("detected " + fault.name() + " after "));
        }
    }

    @Test
    void injectedFaults_haveUniqueNamesDescriptionsAndLimits() {
        assertThat(InjectedFaults.ALL).hasSizeGreaterThanOrEqualTo(20);
        assertThat(InjectedFaults.ALL).extracting(InjectedFault::name).doesNotHaveDuplicates();
        assertThat(InjectedFaults.ALL)
                .extracting(InjectedFault::description)
                .doesNotHaveDuplicates()
                .noneMatch(String::isBlank);
        assertThat(InjectedFaults.ALL).extracting(InjectedFault::maxRuns).allMatch(runs -> runs > 0 && runs <= 400);
    }

    private static List<String> share(int process) {
        List<String> names = new ArrayList<>();
        for (int i = process; i < InjectedFaults.ALL.size(); i += PROCESSES) {
            names.add(InjectedFaults.ALL.get(i).name());
        }
        return names;
    }

    /** Runs {@link InjectedFaultMain} in a separate JVM, because it modifies classes. */
    private static List<String> runProcess(List<String> names) throws IOException, InterruptedException {
        List<String> java = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Djdk.attach.allowAttachSelf=true",
                "-cp",
                System.getProperty("java.class.path"),
                InjectedFaultMain.class.getName());
        List<String> command = Stream.concat(java.stream(), names.stream()).toList();
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as("%s", output).isZero();
            return output.lines().toList();
        } finally {
            process.destroyForcibly();
        }
    }
}
