package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.Json;
import dev.mooring.server.ServerFixture;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code mooring explain} with prepared responses. */
@Timeout(120)
class ExplainCommandTest {
    private static final String EXPLANATION = "{'kind':'Explanation','object':{'kind':'PersistentVolumeClaim',"
            + "'namespace':'shop','name':'data'},'revision':812,'time':'2026-01-02T03:04:05Z','state':'Pending',"
            + "'problem':true,'summary':'PersistentVolumeClaim shop/data is Pending: No space.','root':{'text':"
            + "'PersistentVolumeClaim shop/data is Pending.','severity':'failed','because':[{'text':'It cannot be"
            + " provisioned.','severity':'failed','reason':'ProvisioningFailed','because':[{'text':'No space.',"
            + "'severity':'failed','attempt':4,'retryAt':'2026-01-02T03:04:08Z','time':'2026-01-02T03:03:05Z'}]},"
            + "{'text':'There are no\\u001b[2J PersistentVolumes.','severity':'info'}]},'next':[{'text':'Check the"
            + " nodes.','command':'kubectl get nodes'}]}";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private FakeApiServer server;
    private Path kubeconfig;

    @TempDir
    private Path directory;

    @BeforeEach
    void start() throws IOException, GeneralSecurityException {
        server = FakeApiServer.start(directory.resolve("pki"));
        kubeconfig = server.kubeconfig(directory.resolve("kubeconfig"));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private int mooring(String... args) {
        return new Cli(ServerFixture.ambient(Map.of("MOORING_KUBECONFIG", kubeconfig.toString()), out, err)).run(args);
    }

    private String printed() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void explain_printsStateTreeAndNextSteps() {
        server.enqueue(200, EXPLANATION);
        assertThat(mooring("explain", "pvc/data", "-n", "shop", "--at", "10m"))
                .as(errors())
                .isZero();
        assertThat(printed()).isEqualTo("""
            PersistentVolumeClaim shop/data: Pending (revision 812, 2026-01-02T03:04:05Z)
            PersistentVolumeClaim shop/data is Pending: No space.

            ✗ PersistentVolumeClaim shop/data is Pending.
            ├─ ✗ It cannot be provisioned. (ProvisioningFailed)
            │  └─ ✗ No space. (attempt 4, next in 3s, 60s ago)
            └─ · There are no [2J PersistentVolumes.

            Next:
              Check the nodes.
                kubectl get nodes
            """);
        assertThat(server.requests().get(0).path())
                .isEqualTo("/apis/mooring.dev/v1/explain/persistentvolumeclaims/shop/data?at=10m");
    }

    @Test
    void explain_asJsonAndYaml_printsTheResponse() throws IOException {
        server.enqueue(200, EXPLANATION).enqueue(200, EXPLANATION);
        assertThat(mooring("explain", "pvc", "data", "-o", "json")).as(errors()).isZero();
        assertThat(Json.MAPPER.readTree(printed()).path("state").asText()).isEqualTo("Pending");
        out.reset();
        assertThat(mooring("explain", "pvc/data", "-o", "yaml")).isZero();
        assertThat(printed()).contains("state: Pending\n");
    }

    @Test
    void explain_unknownObject_exitsWith3AndTheNearestMatch() {
        server.enqueue(404, "{'reason':'NotFound','message':'x not found; did you mean y?'}");
        assertThat(mooring("explain", "pv/x")).isEqualTo(3);
        assertThat(errors()).contains("did you mean y?");
        assertThat(printed()).isEmpty();
    }

    @Test
    void explain_unknownTypeOrNoName_isAnError() {
        assertThat(mooring("explain", "pvd/x")).isEqualTo(3);
        assertThat(errors()).contains("did you mean");
        assertThat(mooring("explain", "pvc")).isEqualTo(2);
    }

    @Test
    void text_narrowTerminal_isWrappedBelowItsBranch() throws IOException {
        String text = new ExplanationText(40, false)
                .of(Json.MAPPER.readTree(EXPLANATION
                        .replace('\'', '"')
                        .replace("No space.", "No space ".repeat(8).strip() + '.')));
        assertThat(text).contains("""
            │  └─ ✗ No space No space No space No space No
            │       space No space No space No space.
            │       (attempt 4, next in 3s, 60s ago)
            """);
    }

    @Test
    void text_withColor_marksTheSeverity() throws IOException {
        String text = new ExplanationText(80, true).of(Json.MAPPER.readTree(EXPLANATION.replace('\'', '"')));
        assertThat(text).contains("\u001b[31mPending\u001b[0m").contains("└─ \u001b[2m·\u001b[0m There");
    }
}
