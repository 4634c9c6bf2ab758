package dev.mooring.volume.content;

import static dev.mooring.volume.content.PayloadFixture.payload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.host.OpenDirectory;
import dev.mooring.host.SystemCalls;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicReadingTest {
    private static final int UPDATES = 1000;
    private static final int MIN_VERSIONS = 11;

    @TempDir
    Path temp;

    /** Versions that the reader saw, and combinations of different versions. */
    private static final class Observed {
        private final Set<String> mixed = new ConcurrentSkipListSet<>();
        private final Set<String> versions = new ConcurrentSkipListSet<>();
    }

    @Test
    void reader_duringUpdates_seesFilesOfOneVersion() throws Exception {
        Path volume = temp.toRealPath();
        try (OpenDirectory directory = OpenDirectory.open(SystemCalls.real(), volume)) {
            AtomicWriter writer = new AtomicWriter(directory, Clock.systemUTC());
            writer.write(payload("one=0", "two=0"), FsGroupPermissions.UNCHANGED);
            AtomicBoolean ended = new AtomicBoolean();
            CountDownLatch reading = new CountDownLatch(1);
            Observed observed = new Observed();
            CompletableFuture<Void> reader =
                    CompletableFuture.runAsync(() -> readUntil(volume, ended, reading, observed), task -> {
                        Thread thread = new Thread(task, "reader");
                        thread.setDaemon(true);
                        thread.start();
                    });
            reading.await();
            try {
                // More updates on a machine where the reader gets little time.
                for (int i = 1; i <= UPDATES || (observed.versions.size() < MIN_VERSIONS && !reader.isDone()); i++) {
                    writer.write(payload("one=" + i, "two=" + i), FsGroupPermissions.UNCHANGED);
                    // A file that is opened by its path always exists and is complete.
                    assertThat(Files.readString(volume.resolve("one"))).isEqualTo(Integer.toString(i));
                }
            } finally {
                ended.set(true);
            }
            reader.get();
            assertThat(observed.mixed).isEmpty();
            assertThat(observed.versions).as("versions seen by the reader").hasSizeGreaterThanOrEqualTo(MIN_VERSIONS);
            assertThat(VolumeContents.raw(volume)).containsExactly("..data", "..version", "one", "two");
        }
    }

    private static void readUntil(Path volume, AtomicBoolean ended, CountDownLatch reading, Observed observed) {
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
                // The version was removed after it was opened: the reader tries again.
                assertThat(e.getFile()).isNotEqualTo(volume.toString());
            } catch (IOException e) {
                observed.mixed.add(e.toString());
            }
            reading.countDown();
        }
    }

    private static String read(SecureDirectoryStream<Path> directory, String name) throws IOException {
        try (SeekableByteChannel file = directory.newByteChannel(Path.of(name), Set.of(StandardOpenOption.READ))) {
            ByteBuffer bytes = ByteBuffer.allocate(16);
            file.read(bytes);
            return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
        }
    }
}
