package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.auth.TokenRules;
import dev.mooring.api.rules.Violations;
import dev.mooring.server.CommandFailure;
import dev.mooring.server.ProcessEnvironment;
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
    private static final String TOKEN_PATTERN = "mrg_ci_[A-Za-z0-9_-]{43}";

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

    /** Runs the command with the error handling of {@link Cli}. */
    private int run(String... args) {
        out.reset();
        err.reset();
        ProcessEnvironment environment = new ProcessEnvironment(
                Clock.fixed(Instant.parse("2026-03-01T12:00:00.5Z"), ZoneOffset.UTC),
                new SecureRandom(),
                new Random(1),
                Map.of("MOORING_KUBECONFIG", kubeconfig.toString()),
                "testhost",
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        PrintWriter errors = new PrintWriter(err, true, StandardCharsets.UTF_8);
        CommandLine line = TokenCommand.line(environment);
        return line.setErr(errors)
                .setCaseInsensitiveEnumValuesAllowed(true)
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

    private ObjectNode sentObject() throws IOException {
        return (ObjectNode) MAPPER.readTree(server.requests().get(0).body());
    }

    private static String sha256(String text) throws GeneralSecurityException {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void create_printsTheTokenAndSendsOnlyItsHash() throws IOException, GeneralSecurityException {
        server.enqueue(201, "{}");
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
        assertThat(token).matches(TOKEN_PATTERN);
        assertThat(errors()).isEmpty();
        assertThat(server.requests())
                .singleElement()
                .satisfies(request -> assertThat(request.method() + " " + request.path())
                        .isEqualTo("POST /apis/mooring.dev/v1/tokens"));
        assertThat(sentObject().toString()).doesNotContain(token);
        assertThat(sentObject().toString())
                .isEqualTo(
                        "{\"apiVersion\":\"mooring.dev/v1\",\"kind\":\"Token\",\"metadata\":{\"name\":\"ci\"},\"spec\":{"
                            + "\"user\":\"erin\",\"role\":\"edit\",\"namespaces\":[\"team\",\"web\"],\"sha256\":\""
                                + sha256(token)
                                + "\",\"expires\":\"2026-03-31T12:00:00Z\",\"note\":\"for the pipeline\"}}");
    }

    @Test
    void create_withoutExpires_expiresAfterAYear() throws IOException {
        server.enqueue(201, "{}");
        assertThat(run("create", "ci", "--role", "view")).isZero();
        assertThat(sentObject().at("/spec/expires").asText()).isEqualTo("2027-03-01T12:00:00Z");
        assertThat(errors()).isEmpty();
    }

    @Test
    void create_neverExpires_printsAWarning() throws IOException {
        server.enqueue(201, "{}");
        assertThat(run("create", "ci", "--role", "view", "--expires", "never")).isZero();
        assertThat(sentObject().path("spec").has("expires")).isFalse();
        assertThat(printed().trim()).matches(TOKEN_PATTERN);
        assertThat(errors()).contains("Warning: token ci never expires");
    }

    @ParameterizedTest
    @CsvSource({"admin, '', ci", "view, '', ci", "view, team, ci", "edit, *, ci", "node, '', system:node:ci"})
    void create_anyRole_sendsAValidObject(String role, String namespace, String user) throws IOException {
        server.enqueue(201, "{}");
        int code = namespace.isEmpty()
                ? run("create", "ci", "--role", role)
                : run("create", "ci", "--role", role, "-n", namespace);
        assertThat(code).isZero();
        Violations violations = new Violations();
        new TokenRules().validate(sentObject(), violations);
        assertThat(violations.all()).isEmpty();
        assertThat(sentObject().at("/spec/user").asText()).isEqualTo(user);
    }

    @Test
    void create_jsonOutput_printsTokenAndRole() throws IOException {
        server.enqueue(201, "{}");
        assertThat(run("create", "ci", "--role", "view", "-o", "json")).isZero();
        ObjectNode shown = (ObjectNode) MAPPER.readTree(printed());
        assertThat(shown.path("token").asText()).matches(TOKEN_PATTERN);
        assertThat(shown.path("role").asText()).isEqualTo("view");
        assertThat(shown.has("sha256")).isFalse();
    }

    @Test
    void create_kubeconfigOut_writesAPrivateKubeconfig() throws IOException, GeneralSecurityException {
        server.enqueue(201, "{}");
        Path file = directory.resolve("erin.kubeconfig");
        assertThat(run("create", "ci", "--role", "view", "--user", "o'neil: {x}", "--kubeconfig-out", file.toString()))
                .isZero();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        ServerAccess access = ServerAccess.read(file);
        assertThat(access.server()).hasToString(server.url());
        assertThat(access.authorityPem()).isEqualTo(server.authorityPem());
        assertThat(access.token()).matches(TOKEN_PATTERN);
        assertThat(sentObject().at("/spec/sha256").asText()).isEqualTo(sha256(access.token()));
        assertThat(printed()).isEmpty();
        assertThat(errors()).contains(file.toString()).doesNotContain(access.token());
    }

    @Test
    void create_kubeconfigOutExists_createsNoToken() throws IOException {
        Path file = Files.writeString(directory.resolve("precious"), "content");
        assertThat(run("create", "ci", "--role", "view", "--kubeconfig-out", file.toString()))
                .isEqualTo(4);
        assertThat(errors()).contains(file + " already exists");
        assertThat(file).hasContent("content");
        assertThat(server.requests()).isEmpty();
    }

    @Test
    void create_serverRejects_removesTheKubeconfig() {
        server.enqueue(409, "{'reason':'AlreadyExists','message':'tokens.mooring.dev \\'ci\\' already exists'}");
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
                "create ci --role edit | --role edit requires --namespace",
                "create ci --role admin -n team | --namespace is not allowed with --role admin",
                "create ci --role node -n team | --namespace is not allowed with --role node",
                "create CI --role view | The name must consist of lower-case letters",
                "create a_b --role view | The name must consist of lower-case letters",
                "create ../x --role view | The name must consist of lower-case letters",
                "create ci --role view --expires tomorrow | --expires must be a duration such as 30d, 12h or 90m, or"
                        + " never, got \"tomorrow\"",
                "create ci --role view --expires 0d | --expires must be a duration",
                "revoke a/b | The name must consist of lower-case letters",
                "revoke | NAME",
                "'' | Missing command; expected one of create, list, page, revoke"
            })
    void tokenCommand_invalidArguments_failsWithoutRequest(String args, String message) {
        assertThat(run(args.isEmpty() ? new String[0] : args.split(" ", -1))).isEqualTo(2);
        assertThat(errors()).contains(message);
        assertThat(server.requests()).isEmpty();
    }

    @Test
    void list_printsTokensWithoutHashes() {
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
        server.enqueue(200, tokens).enqueue(200, tokens);
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
    void list_noTokens_printsAMessage() {
        server.enqueue(200, "{'items':[]}");
        assertThat(run("list")).isZero();
        assertThat(printed()).isEmpty();
        assertThat(errors()).contains("No tokens except the one in the server's kubeconfig");
    }

    @Test
    void revoke_deletesTheToken() {
        server.enqueue(200, "{'kind':'Status','status':'Success'}")
                .enqueue(404, "{'reason':'NotFound','message':'tokens.mooring.dev \\'ci\\' not found'}");
        assertThat(run("revoke", "ci")).isZero();
        assertThat(errors()).contains("Revoked token ci");
        assertThat(server.requests().get(0).method() + server.requests().get(0).path())
                .isEqualTo("DELETE/apis/mooring.dev/v1/tokens/ci");
        assertThat(run("revoke", "ci")).isEqualTo(3);
    }

    @Test
    void kubeconfigOption_overridesTheEnvironment() {
        server.enqueue(200, "{'items':[]}");
        assertThat(run("list", "--kubeconfig", directory.resolve("none").toString()))
                .isEqualTo(3);
        assertThat(errors()).contains(directory.resolve("none").toString());
        assertThat(run("list", "--kubeconfig", kubeconfig.toString())).isZero();
    }
}
