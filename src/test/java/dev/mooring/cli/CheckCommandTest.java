package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.Json;
import dev.mooring.node.status.MachineCheck;
import dev.mooring.node.status.MachineFacts;
import dev.mooring.node.status.MachineFacts.Capabilities;
import dev.mooring.node.status.MachineFacts.Identity;
import dev.mooring.node.status.MachineFacts.MachineResources;
import dev.mooring.node.status.RuntimeStatusHolder.RuntimeStatus;
import dev.mooring.server.ServerFixture;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Tests of {@code mooring check} with a fake machine. */
class CheckCommandTest {
    private static final long GIB = 1L << 30;
    private static final Set<String> PROGRAMS = Set.of("mount.nfs", "losetup", "mkfs.ext4", "resize2fs", "mkfs.xfs");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private Capabilities machine = machine(PROGRAMS, true, true, 2, true, true, true);
    private RuntimeStatus engine = new RuntimeStatus.Present("docker://20.10.24");
    private long free = 50 * GIB;

    private static Capabilities machine(
            Set<String> programs, boolean nfs, boolean loop, int cgroup, boolean shared, boolean sane, boolean synced) {
        return new Capabilities(programs, nfs, loop, cgroup, Path.of("/srv/v"), "/srv", shared, sane, synced);
    }

    private int run(String... args) {
        CheckCommand command = new CheckCommand(
                ServerFixture.ambient(Map.of(), out, new ByteArrayOutputStream()),
                settings -> MachineCheck.of(
                        new MachineFacts(
                                new Identity("h", Optional.empty(), "6.1", "Debian", "amd64", "", "", ""),
                                new MachineResources(2, GIB, GIB, 100 * GIB, free, 1, 100),
                                Map.of(),
                                Map.of(),
                                Optional.of(machine)),
                        engine));
        return new CommandLine(command)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(args);
    }

    private String text() {
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void completeMachine_isOk() {
        assertThat(run()).isZero();
        assertThat(text().lines().skip(1)).hasSize(8).allMatch(line -> line.matches("[a-z-]+ +ok +.+"));
        assertThat(text()).contains("docker://20.10.24").doesNotContain("next:");
    }

    @Test
    void bareMachine_namesEveryRemedyAndFails() throws IOException {
        machine = machine(Set.of(), false, false, 0, false, true, false);
        engine = new RuntimeStatus.Absent("no such socket");
        free = 100L << 20;

        assertThat(run("-o", "json")).isEqualTo(1);
        JsonNode checks = Json.MAPPER.readTree(text()).path("checks");
        assertThat(checks)
                .hasSize(8)
                .allSatisfy(each -> assertThat(each.path("remedy").asText()).isNotEmpty());
        assertThat(status(checks, "docker-engine")).isEqualTo("missing");
        assertThat(status(checks, "free-space")).isEqualTo("missing");
        assertThat(status(checks, "nfs-client")).isEqualTo("warning");
        assertThat(text()).contains("apt-get install nfs-common", "mount --make-rshared /srv");
    }

    @ParameterizedTest
    @CsvSource({"2000, ok, 0", "1000, warning, 0", "255, missing, 1"})
    void freeSpace_decidesStatus(long mebibytes, String status, int exitCode) throws IOException {
        free = mebibytes << 20;
        assertThat(run("-o", "json")).isEqualTo(exitCode);
        assertThat(status(Json.MAPPER.readTree(text()).path("checks"), "free-space"))
                .isEqualTo(status);
    }

    @Test
    void clockBeforeTheBuild_isMissing() {
        machine = machine(PROGRAMS, true, true, 2, true, false, true);
        assertThat(run()).isEqualTo(1);
        assertThat(text()).containsPattern("clock +missing +the clock is before the build");
    }

    @Test
    void disabledRuntime_isOk() {
        engine = new RuntimeStatus.Disabled();
        assertThat(run()).isZero();
        assertThat(text()).containsPattern("docker-engine +ok +not used: runtime is none");
    }

    private static String status(JsonNode checks, String name) {
        for (JsonNode each : checks) {
            if (each.path("name").asText().equals(name)) {
                return each.path("status").asText();
            }
        }
        return "";
    }
}
