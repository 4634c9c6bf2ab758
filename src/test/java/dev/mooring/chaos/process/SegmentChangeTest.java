package dev.mooring.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.log.Batch;
import dev.mooring.log.Disk;
import dev.mooring.log.FileEventLog;
import dev.mooring.log.LogFailedException;
import dev.mooring.model.Event;
import dev.mooring.testing.Samples;
import dev.mooring.testing.SimulatedDisk;
import dev.mooring.world.World;
import dev.mooring.world.WorldRestore;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests failures of the log while it changes segments; each was found with the help of a test of this package. */
class SegmentChangeTest {
    private static final Path DIRECTORY = Path.of("/data/log");
    private static final int SEGMENT_BYTES = 64 << 10;
    private static final String MOST_OF_A_SEGMENT = "x".repeat(40_000);

    private final SimulatedDisk disk = new SimulatedDisk();
    private World world = World.EMPTY;

    /** Name of the disk call that fails; "" for none. */
    private String failing = "";

    private IOException failure = new IOException("nothing");

    private FileEventLog open(Disk usedDisk) throws IOException {
        WorldRestore restore = new WorldRestore();
        FileEventLog log = FileEventLog.open(usedDisk, DIRECTORY, SEGMENT_BYTES, Clock.systemUTC(), restore);
        world = restore.world();
        return log;
    }

    private void append(FileEventLog log) throws IOException {
        Event event = Samples.put(world, Samples.claim("c" + world.revision()), MOST_OF_A_SEGMENT);
        World next = world.after(event);
        log.append(new Batch(List.of(event), next.digest()));
        world = next;
    }

    /** Returns the disk with one failing call. */
    private Disk faulty() {
        return (Disk) Proxy.newProxyInstance(
                Disk.class.getClassLoader(), new Class<?>[] {Disk.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals(failing)) {
                        throw failure;
                    }
                    try {
                        return method.invoke(disk, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void log_interruptedBeforeDirectorySync_keepsSegmentAfterPowerFailure() throws IOException {
        for (int seed = 0; seed < 20; seed++) {
            SegmentChangeTest run = new SegmentChangeTest();
            run.interruptBeforeDirectorySync(new Random(seed));
        }
    }

    private void interruptBeforeDirectorySync(Random random) throws IOException {
        FileEventLog log = open(faulty());
        append(log);
        failing = "syncDirectory";
        failure = new ClosedByInterruptException();
        assertThatThrownBy(() -> append(log)).isInstanceOf(LogFailedException.class);
        failing = "";
        log.recover();
        append(log);
        long acknowledged = log.lastRevision();
        try (FileEventLog after = open(disk.powerFailure(random))) {
            assertThat(after.lastRevision()).isEqualTo(acknowledged);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"openForWriting", "syncDirectory", "openForReading"})
    void log_tooManyOpenFiles_recoversWhenFilesCanBeOpened(String call) throws IOException {
        try (FileEventLog log = open(faulty())) {
            append(log);
            failing = call.equals("openForReading") ? "openForWriting" : call;
            failure = new FileSystemException(DIRECTORY.toString(), null, "Too many open files");
            assertThatThrownBy(() -> append(log)).isInstanceOf(LogFailedException.class);
            failing = call;
            assertThatThrownBy(log::recover).isInstanceOf(LogFailedException.class);
            assertThat(log.failure()).isEmpty();
            failing = "";
            log.recover();
            assertThat(log.lastRevision()).isEqualTo(1);
            append(log);
            append(log);
        }
        try (FileEventLog reopened = open(disk.killedProcess())) {
            assertThat(reopened.lastRevision()).isEqualTo(3);
        }
    }

    @Test
    void log_ioErrorOnSegmentChange_refusesFurtherWrites() throws IOException {
        try (FileEventLog log = open(faulty())) {
            append(log);
            failing = "openForWriting";
            failure = new FileSystemException(DIRECTORY.toString(), null, "Input/output error");
            assertThatThrownBy(() -> append(log)).isInstanceOf(LogFailedException.class);
            failing = "";
            assertThat(log.failure()).isPresent();
            assertThatThrownBy(() -> append(log)).isInstanceOf(LogFailedException.class);
        }
    }
}
