package dev.mooring.sim;

import dev.mooring.log.Disk;
import dev.mooring.log.LogDamagedException;
import dev.mooring.testing.SimulatedDisk;
import dev.mooring.world.Ledger;
import dev.mooring.world.ReplayMismatchException;
import dev.mooring.world.StateStore;
import dev.mooring.world.World;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Random;

/** The server's disk, shared by all its processes, and the faults of the disk. */
final class SimStore {
    private static final int MIN_ROOM = 200;
    private static final int MAX_ROOM = 30_000;

    private final Random random;
    private final Coverage coverage;
    private SimulatedDisk disk = new SimulatedDisk();

    SimStore(Random random, Coverage coverage) {
        this.random = random;
        this.coverage = coverage;
    }

    SimulatedDisk disk() {
        return disk;
    }

    /** Process killed: everything that was written is kept. */
    void afterKill() {
        disk = disk.killedProcess();
    }

    /** Power failure: unsynced writes are kept, lost or torn at random. */
    void afterPowerFailure() {
        disk = disk.powerFailure(random);
    }

    /** Crashes the process in one of its next writes or syncs. */
    void crashSoon() {
        int[] left = {random.nextInt(4)};
        boolean inSync = random.nextBoolean();
        SimulatedDisk.Fault fault = file -> {
            if (left[0]-- == 0) {
                coverage.hit(inSync ? "process dies in a sync" : "process dies in a write", kind(file));
                throw new SimCrash(file);
            }
        };
        if (inSync) {
            disk.onSync(fault);
        } else {
            disk.onWrite(fault);
        }
    }

    /** Interrupts the thread that writes or syncs next. */
    void interruptSoon() {
        boolean inSync = random.nextBoolean();
        boolean[] done = new boolean[1];
        SimulatedDisk.Fault fault = file -> {
            if (!done[0]) {
                done[0] = true;
                coverage.hit(inSync ? "ledger's thread dies in a sync" : "ledger's thread dies in a write", kind(file));
                Thread.currentThread().interrupt();
            }
        };
        if (inSync) {
            disk.onSync(fault);
        } else {
            disk.onWrite(fault);
        }
    }

    /** Lets the next sync fail. */
    void failSync() {
        boolean[] done = new boolean[1];
        disk.onSync(file -> {
            if (!done[0]) {
                done[0] = true;
                coverage.hit("sync fails", kind(file));
                throw new IOException("Input/output error");
            }
        });
    }

    void fill() {
        disk.leaveRoomFor(MIN_ROOM + random.nextInt(MAX_ROOM));
        coverage.hit("disk fills up", "running");
    }

    /** Removes all faults of the disk. */
    void clearFaults() {
        disk.onSync(file -> {});
        disk.onWrite(file -> {});
        disk.leaveRoomFor(Long.MAX_VALUE);
    }

    private static String kind(String file) {
        return file.endsWith(".log") ? "segment" : file.contains("snap") ? "snapshot" : "other file";
    }

    /**
     * Flips one bit in a copy of the disk and opens the log: it must detect the damage or give the same World.
     *
     * @param shown the World that was last visible
     */
    void flipABit(World shown, Clock clock, InvariantViolations violations) {
        SimulatedDisk copy = disk.copy();
        List<String> files = copy.list(SimProcess.LOG);
        if (files.isEmpty()) {
            return;
        }
        String name = files.get(random.nextInt(files.size()));
        try {
            Path file = SimProcess.LOG.resolve(name);
            byte[] content = copy.content(file);
            if (content.length == 0) {
                return;
            }
            content[random.nextInt(content.length)] ^= (byte) (1 << random.nextInt(8));
            copy.overwrite(file, content);
            World found = open(copy, clock);
            coverage.hit("bit flips", kind(name) + ", harmless");
            if (found.revision() < shown.revision()) {
                violations.report(
                        "I1",
                        "a bit of " + name + " was flipped, but the log opens and ends with revision "
                                + found.revision() + " instead of " + shown.revision());
            } else if (found.revision() == shown.revision() && found.digest() != shown.digest()) {
                violations.report("I1", "a bit of " + name + " was flipped, but the log opens with a different World");
            }
        } catch (LogDamagedException | ReplayMismatchException e) {
            coverage.hit("bit flips", kind(name) + ", detected");
        } catch (IOException e) {
            coverage.hit("bit flips", kind(name) + ", refused");
        }
    }

    /** Returns the World that a process would restore. */
    static World open(Disk disk, Clock clock) throws IOException {
        StateStore.Options options =
                new StateStore.Options(SimProcess.LOG, 1 << 16, new Ledger.Limits(10, 10, 1000), 10, 1000);
        try (StateStore store = StateStore.open(disk, options, clock, new CompositeMeterRegistry(), Runnable::run)) {
            return store.ledger().world();
        }
    }

    /** Writes the log to a real directory, for {@code mooring log cat}. */
    void save(Path data) throws IOException {
        Path log = Files.createDirectories(data.resolve("log"));
        for (String name : disk.list(SimProcess.LOG)) {
            Files.write(log.resolve(name), disk.content(SimProcess.LOG.resolve(name)));
        }
    }
}
