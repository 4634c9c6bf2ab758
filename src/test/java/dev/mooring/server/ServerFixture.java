package dev.mooring.server;

import io.vertx.core.Vertx;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Starts servers in this process, by default on a free port and without a container engine. */
public final class ServerFixture {
    private ServerFixture() {}

    public static Server start(Path data) {
        return start(data, Map.of());
    }

    public static Server start(Path data, Map<String, String> flags) {
        return start(data, flags, Clock.systemUTC());
    }

    /** @param clock the server's clock */
    public static Server start(Path data, Map<String, String> flags, Clock clock) {
        Map<String, String> all =
                new HashMap<>(Map.of("data", data.toString(), "listen", "127.0.0.1:0", "runtime", "none"));
        all.put("docker.pluginSocket", "none");
        all.putAll(flags);
        Vertx vertx = Server.newVertx();
        SettingsLoader.SettingsSources sources =
                new SettingsLoader.SettingsSources(Optional.empty(), Map.of(), all, "testhost");
        Settings settings = new SettingsLoader(vertx, sources).load().await();
        try {
            return Server.start(
                    vertx,
                    settings,
                    ambient(clock, Map.of(), new ByteArrayOutputStream(), new ByteArrayOutputStream()));
        } catch (RuntimeException e) {
            vertx.close().await();
            throw e;
        }
    }

    public static ProcessEnvironment ambient(
            Map<String, String> environment, ByteArrayOutputStream out, ByteArrayOutputStream err) {
        return ambient(Clock.systemUTC(), environment, out, err);
    }

    /** @param input what a user types */
    public static ProcessEnvironment ambient(String input, ByteArrayOutputStream out, ByteArrayOutputStream err) {
        return new ProcessEnvironment(
                Clock.systemUTC(),
                new SecureRandom(),
                new Random(1),
                Map.of(),
                "testhost",
                new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private static ProcessEnvironment ambient(
            Clock clock, Map<String, String> environment, ByteArrayOutputStream out, ByteArrayOutputStream err) {
        return new ProcessEnvironment(
                clock,
                new SecureRandom(),
                new Random(1),
                environment,
                "testhost",
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }
}
