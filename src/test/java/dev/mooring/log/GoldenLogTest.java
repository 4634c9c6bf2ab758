package dev.mooring.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.replay.LogVerifier;
import dev.mooring.testing.Samples;
import dev.mooring.testing.SecretLog;
import dev.mooring.world.World;
import dev.mooring.world.WorldRestore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks that logs of every released format are read as the same events. {@link #main} writes such a log:
 * {@code java @build/test-classpath.args dev.mooring.log.GoldenLogTest src/test/resources/golden/log-v2}. Existing ones
 * are never rewritten.
 */
class GoldenLogTest {
    private static final Path GOLDEN = Path.of("src/test/resources/golden");
    private static final String EXPECTED = "expected.txt";
    private static final String UNENCRYPTED = "log-v1";

    /** Returns the encryption of a golden log: version 1 is unencrypted, version 2 encrypted. */
    private static Encryption encryption(Path golden) {
        return golden.endsWith(UNENCRYPTED) ? Encryption.NONE : SecretLog.with(SecretLog.key(1, 2026));
    }

    static List<Path> logs() throws IOException {
        try (Stream<Path> logs = Files.list(GOLDEN)) {
            return logs.sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("logs")
    void goldenLog_anyFormat_isReadAndAppended(Path golden, @TempDir Path copy) throws IOException {
        for (String name : new RealDisk().list(golden)) {
            Files.copy(golden.resolve(name), copy.resolve(name));
        }
        Encryption encryption = encryption(golden);
        assertThat(describe(copy, encryption)).isEqualTo(Files.readString(golden.resolve(EXPECTED)));

        LogInspector inspector = new LogInspector(new RealDisk(), copy, encryption);
        assertThat(new LogVerifier(inspector, bytes -> {}).verify().problems()).isEmpty();
        WorldRestore restore = new WorldRestore();
        try (FileEventLog log =
                FileEventLog.open(new RealDisk(), copy, 4_096, Clock.systemUTC(), encryption, restore)) {
            World world = restore.world();
            Event next = Samples.put(world, Samples.claim("next"), "a log of an old format goes on");
            log.append(Samples.batch(world.after(next), next));
        }
    }

    @Test
    void unencryptedLog_isWrittenByteForByteInTheFirstFormat(@TempDir Path directory) throws IOException {
        Path written = directory.resolve(UNENCRYPTED);
        write(written);
        for (String name : new RealDisk().list(GOLDEN.resolve(UNENCRYPTED))) {
            assertThat(written.resolve(name))
                    .hasSameBinaryContentAs(GOLDEN.resolve(UNENCRYPTED).resolve(name));
        }
    }

    private static String describe(Path log, Encryption encryption) throws IOException {
        List<String> lines = new ArrayList<>();
        new LogInspector(new RealDisk(), log, encryption).walk(1, (batch, end) -> {
            batch.events().forEach(event -> lines.add(event.toString()));
            lines.add("digest " + Long.toHexString(batch.digest()));
            return true;
        });
        return String.join("\n", lines) + "\n";
    }

    public static void main(String[] args) throws IOException {
        write(Path.of(args[0]));
    }

    private static void write(Path target) throws IOException {
        Encryption encryption = encryption(target);
        Clock clock = Clock.fixed(Instant.parse("2026-01-02T03:04:05Z"), ZoneOffset.UTC);
        WorldRestore restore = new WorldRestore();
        try (FileEventLog log = FileEventLog.open(new RealDisk(), target, 4_096, clock, encryption, restore)) {
            World world = restore.world();
            for (int i = 0; i < 24; i++) {
                Event event = i % 6 == 5
                        ? Samples.removal(world, key(target, (i - 1) % 4))
                        : Samples.put(world, key(target, i % 4), "content ü " + i);
                world = world.after(event);
                log.append(Samples.batch(world, event));
                if (i == 10) {
                    log.snapshots().write(log.end(), world.size(), world.list(dev.mooring.model.Scope.all()));
                }
            }
        }
        for (String leftover : List.of(LogFiles.LOCK, LogFiles.STATE)) {
            Files.delete(target.resolve(leftover));
        }
        Files.writeString(target.resolve(EXPECTED), describe(target, encryption));
    }

    private static ObjectKey key(Path target, int number) {
        boolean secret = !target.endsWith(UNENCRYPTED) && number % 2 == 0;
        return secret ? SecretLog.secret("c" + number) : Samples.claim("c" + number);
    }
}
