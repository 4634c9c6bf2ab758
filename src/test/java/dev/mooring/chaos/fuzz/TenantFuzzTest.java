package dev.mooring.chaos.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.sim.fault.InjectedFault;
import dev.mooring.sim.fault.MissingChecks;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the isolation of tenants. {@code mooring.seed} determines the requests, {@code mooring.tenants.requests} their
 * number.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
@Tag("chaos")
class TenantFuzzTest {
    private static final long SEED = Long.getLong("mooring.seed", 7);
    private static final int REQUESTS = Integer.getInteger("mooring.tenants.requests", 4_000);

    @TempDir
    private Path data;

    @Test
    void tenants_randomRequests_readChangeOrDelayNothingTheirRolesForbid() throws Exception {
        try (TenantRun run = TenantRun.start(SEED, data)) {
            assertThat(run.run(REQUESTS)).as("seed %d", SEED).isEmpty();
            assertThat(run.marks()).as("objects written").isGreaterThan(REQUESTS / 40);
        }
    }

    /** Runs in another JVM, because the injected faults change its classes. */
    @Test
    void tenantRun_checkRemoved_findsViolation() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-XX:+UseSerialGC",
                        "-Xshare:auto",
                        "-Djdk.attach.allowAttachSelf=true",
                        "-cp",
                        System.getProperty("java.class.path"),
                        TenantFaults.class.getName(),
                        data.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as("%s", output).isZero();
            for (InjectedFault fault : MissingChecks.ALL) {
                assertThat(output.lines())
                        .as(fault.description())
                        .anyMatch(line -> line.startsWith("found " + fault.name()));
            }
        } finally {
            process.destroyForcibly();
        }
    }
}
