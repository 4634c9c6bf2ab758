package dev.mooring.chaos.path;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.Reach;
import dev.mooring.volume.path.Reference;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.path.Tree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that exchanges one name for a decoy and back as fast as it can. It holds the directory of that name by a descriptor, so that it
 * does no harm outside by its own hands, however others bend the way.
 */
final class Attacker implements AutoCloseable {
    private interface C extends Library {
        int mkfifo(String path, int mode);
    }

    private static final C LIBC = Native.load("c", C.class);
    private static final SystemCalls CALLS = SystemCalls.real();
    private static final int HERE = -100;
    private static final int NO_REPLACE = 1;
    private static final int EXCHANGE = 2;
    private static final int ENOENT = 2;
    private static final int BIND = 4096;

    /** Lazily, and not what a link leads to. */
    private static final int DETACH = 2 | 8;

    private static final int MAX_BURST = 30;
    private static final int MAX_PAUSE_NANOS = 600_000;
    private static final int MAX_REST_NANOS = 40_000_000;

    private final Treasure treasure;
    private final Path parent;
    private final String name;
    private final Path stage;
    private final List<Decoy> decoys;
    private final Random random;
    private final Thread thread;
    private volatile boolean stopped;
    private final AtomicLong swaps = new AtomicLong();
    private volatile Throwable failure;

    Attacker(Treasure treasure, Path stage, Path victim, Set<Decoy> decoys, long seed) {
        this.treasure = treasure;
        this.stage = stage;
        this.parent = victim.getParent();
        this.name = victim.getFileName().toString();
        this.decoys = List.copyOf(decoys);
        this.random = new Random(seed);
        this.thread = new Thread(this::attack, "attacker of " + victim);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    long swaps() {
        return swaps.get();
    }

    private void attack() {
        try {
            while (!stopped) {
                try (Directory directory = Directory.open(CALLS, parent)) {
                    step(directory);
                } catch (PathException | FileSystemException e) {
                    // Another attacker has bent the way here or to the stage, or the operation has removed it.
                    Thread.onSpinWait();
                }
                rest();
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            failure = e;
        }
    }

    /** Mostly not at all; now and then so long that an operation can go through. */
    private void rest() {
        int chance = random.nextInt(24);
        if (chance == 0) {
            LockSupport.parkNanos(random.nextInt(MAX_REST_NANOS));
        } else if (chance < 8) {
            LockSupport.parkNanos(random.nextInt(MAX_PAUSE_NANOS));
        }
    }

    private void step(Directory directory) throws IOException, InterruptedException {
        clear();
        String victim = directory.handle() + "/" + name;
        Decoy decoy = decoys.get(random.nextInt(decoys.size()));
        switch (decoy) {
            case MOUNT -> mount(directory);
            case NOTHING -> away(victim);
            default -> {
                make(decoy, stage.resolve("x"));
                exchange(victim, 1 + random.nextInt(MAX_BURST));
            }
        }
        clear();
    }

    /** Onto the thing itself: a link there would lead the mount to the treasure. */
    private void mount(Directory directory) throws PathException {
        byte[] source = bytes(treasure.root().toString());
        try (Reference victim = directory.refer(name, Reach.SAME_MOUNT)) {
            if (CALLS.mount(source, bytes(victim.handle()), bytes("none"), new NativeLong(BIND), null) != 0) {
                return;
            }
        }
        swaps.incrementAndGet();
        LockSupport.parkNanos(random.nextInt(MAX_PAUSE_NANOS));
        CALLS.umount2(bytes(directory.handle() + "/" + name), DETACH);
    }

    private void away(String victim) {
        String x = stage.resolve("x").toString();
        if (rename(victim, x, NO_REPLACE) == 0) {
            swaps.incrementAndGet();
            LockSupport.parkNanos(random.nextInt(MAX_PAUSE_NANOS / 10));
            rename(x, victim, NO_REPLACE);
        }
    }

    /** In the end the decoy is gone from there, unless the operation has changed something itself. */
    private void exchange(String victim, int times) {
        String x = stage.resolve("x").toString();
        boolean swapped = false;
        for (int i = 0; i < times; i++) {
            if (rename(x, victim, EXCHANGE) == 0) {
                swaps.incrementAndGet();
                swapped = !swapped;
            } else if (Native.getLastError() == ENOENT && rename(x, victim, NO_REPLACE) != 0) {
                return;
            }
        }
        if (swapped && rename(x, victim, EXCHANGE) != 0) {
            rename(x, victim, NO_REPLACE);
        }
    }

    private void make(Decoy decoy, Path x) throws IOException {
        Path root = treasure.root();
        switch (decoy) {
            case LINK -> Files.createSymbolicLink(x, root);
            case LINK_UP ->
                Files.createSymbolicLink(
                        x, Path.of("../".repeat(30) + root.toString().substring(1)));
            case LINK_SAME_NAME -> Files.createSymbolicLink(x, root.resolve(name));
            case LOOP -> Files.createSymbolicLink(x, Path.of(name));
            case DANGLING -> Files.createSymbolicLink(x, root.resolve("planted"));
            case FIFO -> LIBC.mkfifo(x.toString(), 0666);
            case FILE -> Files.writeString(x, "decoy");
            case HARD_LINK -> Files.createLink(x, root.resolve("claim.img"));
            default -> {
                Files.createDirectory(x);
                Files.createSymbolicLink(x.resolve("secret"), root.resolve("secret"));
                Files.createSymbolicLink(x.resolve("inner"), root.resolve("inner"));
                Files.createSymbolicLink(x.resolve("up"), Path.of(".."));
                Files.createDirectory(x.resolve("b"));
            }
        }
    }

    /** What was exchanged last and is not wanted any more. */
    private void clear() throws IOException, InterruptedException {
        if (Files.exists(stage.resolve("x"), LinkOption.NOFOLLOW_LINKS)) {
            try (Directory directory = Directory.open(CALLS, stage)) {
                Tree.remove(directory, "x");
            }
        }
    }

    private static int rename(String from, String to, int flags) {
        return CALLS.renameat2(HERE, bytes(from), HERE, bytes(to), flags);
    }

    private static byte[] bytes(String path) {
        return (path + "\0").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws InterruptedException {
        stopped = true;
        thread.join();
        if (failure != null) {
            throw new AssertionError("Expected the attack to go on, but it broke off", failure);
        }
    }
}
