package dev.mooring.chaos.fuzz;

import dev.mooring.chaos.fuzz.FuzzRequest.Sender;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server for fuzzing, with controllers but without the node, so that no Pod or volume has an effect on this machine.
 * Its log has many segments and snapshots, because the test verifies and reads them at the end.
 */
final class FuzzServer implements AutoCloseable {
    private static final Map<String, String> FLAGS = Map.of(
            "without", "node,pods",
            "api.plainListen", "127.0.0.1:0",
            "api.requestsPerSecond", "1000000",
            "api.requestBurst", "1000000",
            "api.watchTick", "1s",
            "log.segmentBytes", "8Mi",
            "log.snapshot.everyBytes", "16Mi");

    private static final Map<Sender, String> USERS = Map.of(
            Sender.EDITOR, "'role':'edit','namespaces':['default','fuzz-1']",
            Sender.VIEWER, "'role':'view','namespaces':['*']",
            Sender.NODE, "'role':'node'");

    private final Server server;
    private final Map<Sender, String> tokens = new EnumMap<>(Sender.class);

    private FuzzServer(Server server) {
        this.server = server;
    }

    static FuzzServer start(Path data) throws IOException {
        FuzzServer started = new FuzzServer(ServerFixture.start(data, FLAGS));
        Matcher token = Pattern.compile("token: \"(.*)\"").matcher(Files.readString(started.server.kubeconfig()));
        if (!token.find()) {
            throw new IllegalStateException("The kubeconfig has no token");
        }
        started.tokens.put(Sender.ADMIN, token.group(1));
        started.tokens.put(Sender.STRANGER, "mrg_nobody_" + "s".repeat(43));
        USERS.keySet().forEach(sender -> started.tokens.put(sender, text(sender)));
        return started;
    }

    Server server() {
        return server;
    }

    int port() {
        return URI.create(server.plainUrl().orElseThrow()).getPort();
    }

    Map<Sender, String> tokens() {
        return tokens;
    }

    String admin() {
        return tokens.get(Sender.ADMIN);
    }

    private static String text(Sender sender) {
        return "mrg_" + name(sender) + "_" + "s".repeat(43);
    }

    private static String name(Sender sender) {
        return "user-" + sender.name().toLowerCase(Locale.ROOT);
    }

    /** Creates the users and namespaces that requests need. Called before each round: requests may delete them. */
    void prepare() throws IOException {
        try (FuzzConnection connection = new FuzzConnection(port())) {
            for (Map.Entry<Sender, String> user : USERS.entrySet()) {
                create(
                        connection,
                        "/apis/mooring.dev/v1/tokens",
                        "{'kind':'Token','apiVersion':'mooring.dev/v1','metadata':{'name':'" + name(user.getKey())
                                + "'},'spec':{'sha256':'" + hash(text(user.getKey())) + "'," + user.getValue() + "}}");
            }
            for (String namespace : new String[] {"fuzz-1", "fuzz-2"}) {
                create(
                        connection,
                        "/api/v1/namespaces",
                        "{'kind':'Namespace','apiVersion':'v1','metadata':{'name':'" + namespace + "'}}");
            }
        }
    }

    private void create(FuzzConnection connection, String path, String object) throws IOException {
        byte[] body = object.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        FuzzRequest call = new FuzzRequest(
                -1,
                Sender.ADMIN,
                "POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.length,
                body,
                FuzzRequest.SendMode.ANSWER);
        FuzzReply reply = connection.send(call, Optional.of(admin())).orElseThrow();
        if (reply.code() != 201 && reply.code() != 409) {
            throw new IllegalStateException("Cannot prepare the server: " + reply);
        }
    }

    static String hash(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
