package dev.mooring.chaos.fuzz;

import dev.mooring.chaos.fuzz.Call.Who;
import dev.mooring.cli.Server;
import dev.mooring.cli.TestServers;
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
 * A server to be attacked: with its controllers, and without the node, so that nothing a Pod or a volume says is ever done to this machine.
 * Its log is cut into many segments and snapshots, since those are read again in the end.
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

    private static final Map<Who, String> USERS = Map.of(
            Who.EDITOR, "'role':'edit','namespaces':['default','fuzz-1']",
            Who.VIEWER, "'role':'view','namespaces':['*']",
            Who.NODE, "'role':'node'");

    private final Server server;
    private final Map<Who, String> tokens = new EnumMap<>(Who.class);

    private FuzzServer(Server server) {
        this.server = server;
    }

    static FuzzServer start(Path data) throws IOException {
        FuzzServer started = new FuzzServer(TestServers.start(data, FLAGS));
        Matcher token = Pattern.compile("token: \"(.*)\"").matcher(Files.readString(started.server.kubeconfig()));
        if (!token.find()) {
            throw new IllegalStateException("Expected a token in the kubeconfig, but there is none");
        }
        started.tokens.put(Who.ADMIN, token.group(1));
        started.tokens.put(Who.STRANGER, "mrg_nobody_" + "s".repeat(43));
        USERS.keySet().forEach(who -> started.tokens.put(who, text(who)));
        return started;
    }

    Server server() {
        return server;
    }

    int port() {
        return URI.create(server.plainUrl().orElseThrow()).getPort();
    }

    Map<Who, String> tokens() {
        return tokens;
    }

    String admin() {
        return tokens.get(Who.ADMIN);
    }

    private static String text(Who who) {
        return "mrg_" + name(who) + "_" + "s".repeat(43);
    }

    private static String name(Who who) {
        return "user-" + who.name().toLowerCase(Locale.ROOT);
    }

    /** Makes the users and the namespaces that requests count on. The requests may have deleted them: done again and again. */
    void prepare() throws IOException {
        try (FuzzConnection connection = new FuzzConnection(port())) {
            for (Map.Entry<Who, String> user : USERS.entrySet()) {
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
        Call call = new Call(
                -1,
                Who.ADMIN,
                "POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.length,
                body,
                Call.Manner.ANSWER);
        Reply reply = connection.send(call, Optional.of(admin())).orElseThrow();
        if (reply.code() != 201 && reply.code() != 409) {
            throw new IllegalStateException("Expected to prepare the server, but got " + reply);
        }
    }

    private static String hash(String text) {
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
