package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.auth.TokenRules;
import dev.mooring.api.kind.Violations;
import dev.mooring.cli.client.RecordingServer;
import dev.mooring.cli.client.ServerAccess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class TokenCommandTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String ROUGH_TOKEN = "mrg_ci_[A-Za-z0-9_-]{43}";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    private Path directory;

    private RecordingServer server;
    private Path kubeconfig;

    @BeforeEach
    void start() throws IOException, GeneralSecurityException {
        server = RecordingServer.start(directory.resolve("pki"));
        kubeconfig = server.kubeconfig(directory.resolve("kubeconfig"));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** As Cli does it. */
    private int run(String... args) {
        out.reset();
        err.reset();
        Ambient ambient = new Ambient(
                Clock.fixed(Instant.parse("2026-03-01T12:00:00.5Z"), ZoneOffset.UTC),
                new SecureRandom(),
                new Random(1),
                Map.of("MOORING_KUBECONFIG", kubeconfig.toString()),
                "testhost",
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        PrintWriter errors = new PrintWriter(err, true, StandardCharsets.UTF_8);
        CommandLine line = TokenCommand.line(ambient);
        return line.setErr(errors)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((thrown, command, parsed) -> {
                    Failure failure = Failure.of(thrown);
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

    private ObjectNode sent() throws IOException {
        return (ObjectNode) MAPPER.readTree(server.asked().get(0).body());
    }

    private static String sha256(String text) throws GeneralSecurityException {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void printsANewTokenAndTellsTheServerItsHashOnly() throws IOException, GeneralSecurityException {
        server.answers(201, "{}");
        assertThat(run(
                        "create",
                        "ci",
                        "--role",
                        "edit",
                        "--namespace",
                        "team",
                        "-n",
                        "web",
                        "--user",
                        "erin",
                        "--expires",
                        "30d",
                        "--note",
                        "for the pipeline"))
                .isZero();
        String token = printed().trim();
        assertThat(token).matches(ROUGH_TOKEN);
        assertThat(errors()).isEmpty();
        assertThat(server.asked())
                .singleElement()
                .satisfies(asked ->
                        assertThat(asked.method() + " " + asked.path()).isEqualTo("POST /apis/mooring.dev/v1/tokens"));
        assertThat(sent().toString()).doesNotContain(token);
        assertThat(sent().toString())
                .isEqualTo(
                        "{\"apiVersion\":\"mooring.dev/v1\",\"kind\":\"Token\",\"metadata\":{\"name\":\"ci\"},\"spec\":{"
                            + "\"user\":\"erin\",\"role\":\"edit\",\"namespaces\":[\"team\",\"web\"],\"sha256\":\""
                                + sha256(token)
                                + "\",\"expires\":\"2026-03-31T12:00:00Z\",\"note\":\"for the pipeline\"}}");
    }

    @ParameterizedTest
    @CsvSource({"admin, '', ci", "view, '', ci", "view, team, ci", "edit, *, ci", "node, '', system:node:ci"})
    void sendsWhatTheServerTakes(String role, String namespace, String user) throws IOException {
        server.answers(201, "{}");
        int code = namespace.isEmpty()
                ? run("create", "ci", "--role", role)
                : run("create", "ci", "--role", role, "-n", namespace);
        assertThat(code).isZero();
        Violations violations = new Violations();
        new TokenRules().validate(sent(), violations);
        assertThat(violations.all()).isEmpty();
        assertThat(sent().at("/spec/user").asText()).isEqualTo(user);
    }

    @Test
    void printsAsJsonForPrograms() throws IOException {
        server.answers(201, "{}");
        assertThat(run("create", "ci", "--role", "view", "-o", "json")).isZero();
        ObjectNode shown = (ObjectNode) MAPPER.readTree(printed());
        assertThat(shown.path("token").asText()).matches(ROUGH_TOKEN);
        assertThat(shown.path("role").asText()).isEqualTo("view");
        assertThat(shown.has("sha256")).isFalse();
    }

    @Test
    void writesAKubeconfigForTheUserThatNobodyElseCanRead() throws IOException, GeneralSecurityException {
        server.answers(201, "{}");
        Path file = directory.resolve("erin.kubeconfig");
        assertThat(run("create", "ci", "--role", "view", "--user", "o'neil: {x}", "--kubeconfig-out", file.toString()))
                .isZero();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        ServerAccess access = ServerAccess.read(file);
        assertThat(access.server()).hasToString(server.url());
        assertThat(access.authorityPem()).isEqualTo(server.authorityPem());
        assertThat(access.token()).matches(ROUGH_TOKEN);
        assertThat(sent().at("/spec/sha256").asText()).isEqualTo(sha256(access.token()));
        assertThat(printed()).isEmpty();
        assertThat(errors()).contains(file.toString()).doesNotContain(access.token());
    }

    @Test
    void replacesNoFileAndThenMakesNoToken() throws IOException {
        Path file = Files.writeString(directory.resolve("precious"), "content");
        assertThat(run("create", "ci", "--role", "view", "--kubeconfig-out", file.toString()))
                .isEqualTo(4);
        assertThat(errors()).contains("something is there already");
        assertThat(file).hasContent("content");
        assertThat(server.asked()).isEmpty();
    }

    @Test
    void leavesNoKubeconfigBehindIfTheServerRefuses() {
        server.answers(409, "{'reason':'AlreadyExists','message':'tokens.mooring.dev \\'ci\\' already exists'}");
        Path file = directory.resolve("erin.kubeconfig");
        assertThat(run("create", "ci", "--role", "view", "--kubeconfig-out", file.toString()))
                .isEqualTo(4);
        assertThat(errors()).contains("Error from server (AlreadyExists): tokens.mooring.dev \"ci\" already exists");
        assertThat(printed()).isEmpty();
        assertThat(file).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "create ci | --role",
                "create ci --role root | root",
                "create ci --role edit | Expected --namespace with --role edit",
                "create ci --role admin -n team | Expected no --namespace with --role admin",
                "create ci --role node -n team | Expected no --namespace with --role node",
                "create CI --role view | Expected a name of lower-case letters",
                "create a_b --role view | Expected a name of lower-case letters",
                "create ../x --role view | Expected a name of lower-case letters",
                "create ci --role view --expires tomorrow | Expected --expires as 30d, 12h or 90m, but got"
                        + " \"tomorrow\"",
                "create ci --role view --expires 0d | Expected --expires",
                "revoke a/b | Expected a name of lower-case letters",
                "revoke | NAME",
                "'' | Expected one of create, list, revoke"
            })
    void refusesWhatMakesNoSenseBeforeAskingTheServer(String args, String message) {
        assertThat(run(args.isEmpty() ? new String[0] : args.split(" ", -1))).isEqualTo(2);
        assertThat(errors()).contains(message);
        assertThat(server.asked()).isEmpty();
    }

    @Test
    void listsTokensWithoutTheirHashes() {
        String tokens = """
            {'items':[
             {'metadata':{'name':'ci','creationTimestamp':'2026-01-01T00:00:00Z'},
              'spec':{'user':'erin','role':'edit','namespaces':['team','web'],'sha256':'deadbeef','note':'a\\u001b[2Jb'}},
             {'metadata':{'name':'old','creationTimestamp':'2026-01-02T00:00:00Z'},
              'spec':{'user':'vera','role':'view','sha256':'deadbeef','expires':'2026-03-01T12:00:00Z'}},
             {'metadata':{'name':'sa-1','creationTimestamp':'2026-01-03T00:00:00Z'},
              'spec':{'user':'system:serviceaccount:team:bot','sha256':'deadbeef','expires':'2026-03-01T12:00:01Z',
                      'serviceAccount':{'namespace':'team','name':'bot','uid':'u'}}}]}\
            """;
        server.answers(200, tokens).answers(200, tokens);
        assertThat(run("list")).isZero();
        assertThat(printed()).isEqualTo("""
            NAME   USER                             ROLE   NAMESPACES   EXPIRES                CREATED                NOTE
            ci     erin                             edit   team,web     never                  2026-01-01T00:00:00Z   a [2Jb
            old    vera                             view   *            expired                2026-01-02T00:00:00Z
            sa-1   system:serviceaccount:team:bot   -      team         2026-03-01T12:00:01Z   2026-01-03T00:00:00Z
            """);
        assertThat(run("list", "-o", "json")).isZero();
        assertThat(printed()).contains("\"name\" : \"ci\"").doesNotContain("deadbeef");
    }

    @Test
    void saysThatThereAreNoTokens() {
        server.answers(200, "{'items':[]}");
        assertThat(run("list")).isZero();
        assertThat(printed()).isEmpty();
        assertThat(errors()).contains("No tokens but the one in the server's kubeconfig");
    }

    @Test
    void revokesAToken() {
        server.answers(200, "{'kind':'Status','status':'Success'}")
                .answers(404, "{'reason':'NotFound','message':'tokens.mooring.dev \\'ci\\' not found'}");
        assertThat(run("revoke", "ci")).isZero();
        assertThat(errors()).contains("Revoked token ci");
        assertThat(server.asked().get(0).method() + server.asked().get(0).path())
                .isEqualTo("DELETE/apis/mooring.dev/v1/tokens/ci");
        assertThat(run("revoke", "ci")).isEqualTo(3);
    }

    @Test
    void looksForTheServerWhereTheOptionSays() {
        server.answers(200, "{'items':[]}");
        assertThat(run("list", "--kubeconfig", directory.resolve("none").toString()))
                .isEqualTo(3);
        assertThat(errors()).contains(directory.resolve("none").toString());
        assertThat(run("list", "--kubeconfig", kubeconfig.toString())).isZero();
    }
}
