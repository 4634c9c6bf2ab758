package dev.mooring.volume.content;

import static dev.mooring.volume.content.Payloads.payload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.SystemCalls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicReadingTest {
    private static final int UPDATES = 1000;

    @TempDir
    Path temp;

    /** What a reader saw: different versions, and how often. */
    private static final class Observed {
        private final Set<String> mixed = new TreeSet<>();
        private final Set<String> versions = new TreeSet<>();
    }

    @Test
    void aReaderOfTwoFilesNeverSeesTwoVersions() throws Exception {
        Path volume = temp.toRealPath();
        try (Directory directory = Directory.open(SystemCalls.real(), volume)) {
            AtomicWriter writer = new AtomicWriter(directory, Clock.systemUTC());
            writer.write(payload("one=0", "two=0"), GroupAccess.UNCHANGED);
            AtomicBoolean ended = new AtomicBoolean();
            CountDownLatch reading = new CountDownLatch(1);
            CompletableFuture<Observed> reader =
                    CompletableFuture.supplyAsync(() -> readUntil(volume, ended, reading), task -> {
                        Thread thread = new Thread(task, "reader");
                        thread.setDaemon(true);
                        thread.start();
                    });
            reading.await();
            try {
                for (int i = 1; i <= UPDATES; i++) {
                    writer.write(payload("one=" + i, "two=" + i), GroupAccess.UNCHANGED);
                    // Opened by its path at any time, a file is there and whole.
                    assertThat(Files.readString(volume.resolve("one"))).isEqualTo(Integer.toString(i));
                }
            } finally {
                ended.set(true);
            }
            Observed observed = reader.get();
            assertThat(observed.mixed).isEmpty();
            assertThat(observed.versions).as("versions the reader came to see").hasSizeGreaterThan(10);
            assertThat(Seen.raw(volume)).containsExactly("..data", "..version", "one", "two");
        }
    }

    private static Observed readUntil(Path volume, AtomicBoolean ended, CountDownLatch reading) {
        Observed observed = new Observed();
        while (!ended.get()) {
            try (DirectoryStream<Path> opened = Files.newDirectoryStream(volume.resolve("..data"))) {
                SecureDirectoryStream<Path> stream = (SecureDirectoryStream<Path>) opened;
                String one = read(stream, "one");
                String two = read(stream, "two");
                observed.versions.add(one);
                if (!one.equals(two)) {
                    observed.mixed.add(one + " and " + two);
                }
            } catch (NoSuchFileException e) {
                // The version was removed after it had been opened: a reader looks again.
                assertThat(e.getFile()).isNotEqualTo(volume.toString());
            } catch (IOException e) {
                observed.mixed.add(e.toString());
            }
            reading.countDown();
        }
        return observed;
    }

    private static String read(SecureDirectoryStream<Path> directory, String name) throws IOException {
        try (SeekableByteChannel file = directory.newByteChannel(Path.of(name), Set.of(StandardOpenOption.READ))) {
            ByteBuffer bytes = ByteBuffer.allocate(16);
            file.read(bytes);
            return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
        }
    }
}
