package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.server.CommandFailure;
import dev.mooring.server.ProcessEnvironment;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ReleaseCommandTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    private Path directory;

    private FakeApiServer server;
    private Path kubeconfig;

    @BeforeEach
    void start() throws IOException, GeneralSecurityException {
        server = FakeApiServer.start(directory.resolve("pki"));
        kubeconfig = server.kubeconfig(directory.resolve("kubeconfig"));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private int run(String... args) {
        ProcessEnvironment environment = new ProcessEnvironment(
                Clock.systemUTC(),
                new SecureRandom(),
                new Random(1),
                Map.of("MOORING_KUBECONFIG", kubeconfig.toString()),
                "testhost",
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        PrintWriter errors = new PrintWriter(err, true, StandardCharsets.UTF_8);
        return new CommandLine(new ReleaseCommand(environment))
                .setErr(errors)
                .setExecutionExceptionHandler((thrown, command, parsed) -> {
                    CommandFailure failure = CommandFailure.of(thrown);
                    errors.println("mooring: " + failure.message());
                    return failure.exitCode().number();
                })
                .execute(args);
    }

    private String printed() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private static String volume(String metadata, String policy, String phase) {
        return "{'metadata':{'name':'pv1','resourceVersion':'42'" + metadata
                + "},'spec':{'persistentVolumeReclaimPolicy':'" + policy
                + "','claimRef':{'namespace':'team','name':'data','uid':'u1'}},'status':{'phase':'" + phase
                + "','message':'it broke'}}";
    }

    @ParameterizedTest
    @ValueSource(strings = {"pv1", "pv/pv1", "persistentvolume/pv1", "persistentvolumes/pv1"})
    void release_releasedVolume_removesClaimRefAtTheReadResourceVersion(String argument) {
        server.enqueue(
                        200,
                        volume(",'annotations':{'pv.kubernetes.io/bound-by-controller':'yes'}", "Retain", "Released"))
                .enqueue(200, "{}");
        assertThat(run(argument)).isZero();
        assertThat(server.requests())
                .extracting(request -> request.method() + ' ' + request.path())
                .containsExactly("GET /api/v1/persistentvolumes/pv1", "PATCH /api/v1/persistentvolumes/pv1");
        assertThat(server.requests().get(1).body())
                .isEqualTo("{\"metadata\":{\"resourceVersion\":\"42\",\"annotations\":{"
                        + "\"pv.kubernetes.io/bound-by-controller\":null}},\"spec\":{\"claimRef\":null}}");
        assertThat(printed())
                .isEqualTo("persistentvolume/pv1 released: it was bound to claim team/data (uid u1). Its data is not"
                        + " changed, and the next matching claim can bind it.\n");
        assertThat(errors()).isEmpty();
    }

    @Test
    void release_failedVolume_printsItsFailureMessage() {
        server.enqueue(200, volume("", "Retain", "Failed")).enqueue(200, "{}");
        assertThat(run("pv/pv1")).isZero();
        assertThat(server.requests().get(1).body())
                .isEqualTo("{\"metadata\":{\"resourceVersion\":\"42\"},\"spec\":{\"claimRef\":null}}");
        assertThat(errors()).contains("it broke");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        ""                                               | Retain | Bound     | persistentvolume/pv1 is bound to claim team/data, which exists
        ""                                               | Delete | Released  | persistentvolume/pv1 has the reclaim policy Delete, so its data is not kept
        ""                                               | Retain | Available | persistentvolume/pv1 is Available and reserved for claim team/data
        ,'deletionTimestamp':'2026-01-01T00:00:00Z'      | Retain | Released  | persistentvolume/pv1 is being deleted
        """)
    void release_volumeNotReleasable_isRejected(String metadata, String policy, String phase, String message) {
        server.enqueue(200, volume(metadata, policy, phase));
        assertThat(run("pv/pv1")).isEqualTo(4);
        assertThat(errors()).contains("Cannot release the volume: ").contains(message);
        assertThat(server.requests()).hasSize(1);
        assertThat(printed()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"Available, already Available", "Pending, bound to no claim"})
    void release_volumeWithoutClaim_changesNothing(String phase, String message) {
        server.enqueue(200, "{'metadata':{'name':'pv1'},'spec':{},'status':{'phase':'" + phase + "'}}");
        assertThat(run("pv/pv1")).isZero();
        assertThat(printed()).startsWith("persistentvolume/pv1 is " + message);
        assertThat(server.requests()).hasSize(1);
    }

    @Test
    void release_missingOrModifiedVolume_exitsWithNotFoundOrConflict() {
        server.enqueue(404, "{'reason':'NotFound','message':'persistentvolumes pv1 not found'}");
        assertThat(run("pv/pv1")).isEqualTo(3);
        server.enqueue(200, volume("", "Retain", "Released"))
                .enqueue(409, "{'reason':'Conflict','message':'the object has been modified'}");
        assertThat(run("pv/pv1")).isEqualTo(4);
        assertThat(errors()).contains("the object has been modified");
        assertThat(printed()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"pvc/data", "pv/", "pv/a/b", "pv/../x", "Not_A_Name"})
    void release_argumentNotAVolumeName_exitsWithTwo(String argument) {
        assertThat(run(argument)).isEqualTo(2);
        assertThat(server.requests()).isEmpty();
    }
}
