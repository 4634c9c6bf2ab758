package dev.mooring.chaos.path;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import dev.mooring.host.FileReference;
import dev.mooring.host.MountScope;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.host.SystemCalls;
import dev.mooring.host.TreeRemover;
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
 * A thread that swaps one name with a decoy and back as fast as it can. It holds the parent directory by a descriptor,
 * so that it changes nothing outside itself when another attacker replaces a part of the path.
 */
final class Attacker implements AutoCloseable {
    private interface C extends Library {
        int mkfifo(String path, int mode);
    }

    private static final C LIBC = Native.load("c", C.class);
    private static final SystemCalls CALLS = SystemCalls.real();
    private static final int AT_FDCWD = -100;
    private static final int NO_REPLACE = 1;
    private static final int EXCHANGE = 2;
    private static final int ENOENT = 2;
    private static final int BIND = 4096;

    /** MNT_DETACH and UMOUNT_NOFOLLOW. */
    private static final int DETACH = 2 | 8;

    private static final int MAX_BURST = 30;
    private static final int MAX_PAUSE_NANOS = 600_000;
    private static final int MAX_REST_NANOS = 40_000_000;

    private final ProtectedFiles protectedFiles;
    private final Path parent;
    private final String name;
    private final Path stage;
    private final List<Decoy> decoys;
    private final Random random;
    private final Thread thread;
    private volatile boolean stopped;
    private final AtomicLong swaps = new AtomicLong();
    private volatile Throwable failure;

    Attacker(ProtectedFiles protectedFiles, Path stage, Path target, Set<Decoy> decoys, long seed) {
        this.protectedFiles = protectedFiles;
        this.stage = stage;
        this.parent = target.getParent();
        this.name = target.getFileName().toString();
        this.decoys = List.copyOf(decoys);
        this.random = new Random(seed);
        this.thread = new Thread(this::attack, "attacker of " + target);
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
                try (OpenDirectory directory = OpenDirectory.open(CALLS, parent)) {
                    step(directory);
                } catch (PathException | FileSystemException e) {
                    // Another attacker has replaced the parent or the stage, or the operation has removed it.
                    Thread.onSpinWait();
                }
                pause();
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            failure = e;
        }
    }

    /** Pauses: usually not at all, sometimes long enough for an operation to succeed. */
    private void pause() {
        int chance = random.nextInt(24);
        if (chance == 0) {
            LockSupport.parkNanos(random.nextInt(MAX_REST_NANOS));
        } else if (chance < 8) {
            LockSupport.parkNanos(random.nextInt(MAX_PAUSE_NANOS));
        }
    }

    private void step(OpenDirectory directory) throws IOException, InterruptedException {
        clear();
        String target = directory.procPath() + "/" + name;
        Decoy decoy = decoys.get(random.nextInt(decoys.size()));
        switch (decoy) {
            case MOUNT -> mount(directory);
            case NOTHING -> moveAwayBriefly(target);
            default -> {
                createDecoy(decoy, stage.resolve("x"));
                exchange(target, 1 + random.nextInt(MAX_BURST));
            }
        }
        clear();
    }

    /** Mounts the protected files on the name itself, without following a link. */
    private void mount(OpenDirectory directory) throws PathException {
        byte[] source = bytes(protectedFiles.root().toString());
        try (FileReference target = directory.reference(name, MountScope.SAME_MOUNT)) {
            if (CALLS.mount(source, bytes(target.procPath()), bytes("none"), new NativeLong(BIND), null) != 0) {
                return;
            }
        }
        swaps.incrementAndGet();
        LockSupport.parkNanos(random.nextInt(MAX_PAUSE_NANOS));
        CALLS.umount2(bytes(directory.procPath() + "/" + name), DETACH);
    }

    private void moveAwayBriefly(String target) {
        String x = stage.resolve("x").toString();
        if (rename(target, x, NO_REPLACE) == 0) {
            swaps.incrementAndGet();
            LockSupport.parkNanos(random.nextInt(MAX_PAUSE_NANOS / 10));
            rename(x, target, NO_REPLACE);
        }
    }

    /** Swaps repeatedly; removes the decoy at the end, unless the operation has changed the name itself. */
    private void exchange(String target, int times) {
        String x = stage.resolve("x").toString();
        boolean swapped = false;
        for (int i = 0; i < times; i++) {
            if (rename(x, target, EXCHANGE) == 0) {
                swaps.incrementAndGet();
                swapped = !swapped;
            } else if (Native.getLastError() == ENOENT && rename(x, target, NO_REPLACE) != 0) {
                return;
            }
        }
        if (swapped && rename(x, target, EXCHANGE) != 0) {
            rename(x, target, NO_REPLACE);
        }
    }

    private void createDecoy(Decoy decoy, Path x) throws IOException {
        Path root = protectedFiles.root();
        switch (decoy) {
            case LINK -> Files.createSymbolicLink(x, root);
            case LINK_UP ->
                Files.createSymbolicLink(
                        x, Path.of("../".repeat(30) + root.toString().substring(1)));
            case LINK_SAME_NAME -> Files.createSymbolicLink(x, root.resolve(name));
            case LOOP -> Files.createSymbolicLink(x, Path.of(name));
            case DANGLING -> Files.createSymbolicLink(x, root.resolve("missing"));
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

    /** Removes what the last swap left in the stage. */
    private void clear() throws IOException, InterruptedException {
        if (Files.exists(stage.resolve("x"), LinkOption.NOFOLLOW_LINKS)) {
            try (OpenDirectory directory = OpenDirectory.open(CALLS, stage)) {
                TreeRemover.remove(directory, "x");
            }
        }
    }

    private static int rename(String from, String to, int flags) {
        return CALLS.renameat2(AT_FDCWD, bytes(from), AT_FDCWD, bytes(to), flags);
    }

    private static byte[] bytes(String path) {
        return (path + "\0").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws InterruptedException {
        stopped = true;
        thread.join();
        if (failure != null) {
            throw new AssertionError("The attacker failed", failure);
        }
    }
}
