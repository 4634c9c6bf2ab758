package dev.mooring.cli;

import dev.mooring.cli.config.Settings;
import dev.mooring.cli.config.SettingsLoader;
import dev.mooring.cli.config.SettingsSources;
import io.vertx.core.Vertx;
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

/** Servers in this process, on any free port and without a container engine unless told otherwise. */
public final class TestServers {
    private TestServers() {}

    public static Server start(Path data) {
        return start(data, Map.of());
    }

    public static Server start(Path data, Map<String, String> flags) {
        Map<String, String> all =
                new HashMap<>(Map.of("data", data.toString(), "listen", "127.0.0.1:0", "runtime", "none"));
        all.putAll(flags);
        Vertx vertx = Server.newVertx();
        SettingsSources sources = new SettingsSources(Optional.empty(), Map.of(), all, "testhost");
        Settings settings = new SettingsLoader(vertx, sources).load().await().settings();
        try {
            return Server.start(
                    vertx, settings, ambient(Map.of(), new ByteArrayOutputStream(), new ByteArrayOutputStream()));
        } catch (RuntimeException e) {
            vertx.close().await();
            throw e;
        }
    }

    public static Ambient ambient(
            Map<String, String> environment, ByteArrayOutputStream out, ByteArrayOutputStream err) {
        return new Ambient(
                Clock.systemUTC(),
                new SecureRandom(),
                new Random(1),
                environment,
                "testhost",
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }
}
