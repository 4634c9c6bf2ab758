package dev.mooring.volume;

import dev.mooring.host.Descriptor;
import dev.mooring.host.MountTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Fake mounter for tests of plugins: keeps a mount table and directories, records every call as a line, and fails on
 * request. Paths below the layout's root are shown without it: {@code bind /srv/data at pods/u/volumes/p/v rw}. A
 * plugin that removes a directory at or above a mount fails its test with an {@link AssertionError}. Thread-safe.
 *
 * <p>Lines: {@code makeDirectory T}, {@code removeDirectory T}, {@code bind SOURCE at T [rbind,]rw|ro[,nosuid,nodev]},
 * {@code memory BYTES MODE at T}, {@code mount TYPE SOURCE at T OPTIONS}, {@code unmount T}. Queries ({@link #table},
 * {@link #isMountPoint}) are not recorded.
 */
public final class FakeMounter implements Mounter {
    private static final MountTable.Mount ROOT =
            new MountTable.Mount(1, 0, "254:0", "/", "/", List.of("rw", "relatime"), "ext4", "/dev/vda");

    /** Whether directories are created on disk. */
    private enum DirectoryMode {
        REMEMBERED,
        REAL
    }

    /** Failure of the next call for a path. */
    private record InjectedMountFailure(VolumeException exception, boolean stillHappens) {}

    private final NodeLayout layout;
    private final DirectoryMode directoryMode;
    private final List<String> calls = new ArrayList<>();
    private final List<MountTable.Mount> mounts = new ArrayList<>(List.of(ROOT));
    private final Set<Path> directories = new TreeSet<>();
    private final Map<Path, List<InjectedMountFailure>> mountFailures = new HashMap<>();
    private final Map<Path, List<InjectedMountFailure>> unmountFailures = new HashMap<>();
    private Consumer<String> hook = line -> {};
    private int lastId = 1;

    private FakeMounter(NodeLayout layout, DirectoryMode mode) {
        this.layout = layout;
        this.directoryMode = mode;
    }

    /** Returns a mounter that keeps directories in memory only. */
    public static FakeMounter inMemory(NodeLayout layout) {
        return new FakeMounter(layout, DirectoryMode.REMEMBERED);
    }

    /**
     * Returns a mounter that creates and removes real directories, for plugins that write into them; mounts are fake.
     */
    public static FakeMounter onDisk(NodeLayout layout) {
        return new FakeMounter(layout, DirectoryMode.REAL);
    }

    /** Returns the recorded calls in order. */
    public synchronized List<String> calls() {
        return List.copyOf(calls);
    }

    public synchronized void forgetCalls() {
        calls.clear();
    }

    /** Sets a hook that gets each line before the call happens; it may block, or throw an error to simulate a crash. */
    public synchronized void beforeEach(Consumer<String> newHook) {
        hook = newHook;
    }

    /** Returns the mounts except the root, as {@code T TYPE SOURCE OPTIONS}, or for a bind {@code T bind SOURCE rw}. */
    public synchronized List<String> mounted() {
        return mounts.stream()
                .filter(each -> !each.equals(ROOT))
                .map(each -> {
                    String what = each.root().equals("/")
                            ? each.type() + " " + each.source() + " " + String.join(",", each.options())
                            : "bind " + each.root() + " " + (each.isReadOnly() ? "ro" : "rw");
                    return displayPath(Path.of(each.point())) + " " + what;
                })
                .toList();
    }

    /** Returns the existing directories, relative to the root. */
    public synchronized List<String> directories() {
        return directories.stream().map(this::displayPath).toList();
    }

    /** Adds a mount that was created before the test or by another program. */
    public synchronized void alreadyMounted(Path point, String type, String source, String... options) {
        List<String> all = options.length == 0 ? List.of("rw") : List.of(options);
        add("0:" + (lastId + 40), "/", point, all, type, source);
    }

    /** Adds a bind mount of a local directory that was created before the test or by another program. */
    public synchronized void alreadyBound(Path source, Path target, Access access) {
        bindMount(source.toString(), target, BindSettings.of(access).options());
    }

    /** Removes all mounts at the path, as another program or a restart of the machine does. */
    public synchronized void vanish(Path point) {
        mounts.removeIf(each -> each.point().equals(point.toString()));
    }

    /** Fails the next mount, bind or tmpfs at the target without effect. Several calls add several failures. */
    public synchronized void failNextMount(Path target, VolumeException exception) {
        add(mountFailures, target, new InjectedMountFailure(exception, false));
    }

    /** The next mount at the target happens, but is reported as failed. */
    public synchronized void halfSucceedNextMount(Path target, VolumeException exception) {
        add(mountFailures, target, new InjectedMountFailure(exception, true));
    }

    /** The next mount at the target hangs until its deadline and is killed; nothing is mounted. */
    public synchronized void hangNextMount(Path target) {
        failNextMount(target, tooSlow("mount", target));
    }

    /** The next unmount of the target fails: it stays mounted. */
    public synchronized void failNextUnmount(Path target, VolumeException exception) {
        add(unmountFailures, target, new InjectedMountFailure(exception, false));
    }

    /** The next unmount of the target happens, but is reported as failed. */
    public synchronized void halfSucceedNextUnmount(Path target, VolumeException exception) {
        add(unmountFailures, target, new InjectedMountFailure(exception, true));
    }

    /** The next unmount of the target times out in all variants; it stays mounted. */
    public synchronized void hangNextUnmount(Path target) {
        failNextUnmount(target, tooSlow("umount", target));
    }

    private static VolumeException tooSlow(String program, Path target) {
        return VolumeException.uncertain("TooSlow", "`" + program + " " + target + "` timed out", "");
    }

    private static void add(Map<Path, List<InjectedMountFailure>> failures, Path target, InjectedMountFailure failure) {
        failures.computeIfAbsent(target, any -> new ArrayList<>()).add(failure);
    }

    @Override
    public synchronized MountTable table() {
        return new MountTable(mounts);
    }

    @Override
    public synchronized boolean isMountPoint(Path target) {
        requireBelowRoot(target);
        return table().isMountPoint(target);
    }

    @Override
    public void makeDirectory(Path target) throws VolumeException {
        record("makeDirectory " + displayPath(target));
        synchronized (this) {
            requireBelowRoot(target);
            remember(target);
        }
        if (directoryMode == DirectoryMode.REAL) {
            try {
                Files.createDirectories(target);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void remember(Path target) {
        for (Path at = target; at.startsWith(layout.root()); at = at.getParent()) {
            directories.add(at);
        }
    }

    @Override
    public void removeDirectory(Path target) throws VolumeException {
        record("removeDirectory " + displayPath(target));
        synchronized (this) {
            requireBelowRoot(target);
            for (MountTable.Mount each : mounts) {
                if (Path.of(each.point()).startsWith(target)) {
                    throw new AssertionError("removeDirectory " + displayPath(target) + " while " + each.type() + " "
                            + each.source() + " is mounted at " + each.point());
                }
            }
            remove(target);
            for (Path at = target.getParent(); isBelowPod(at) && isEmpty(at); at = at.getParent()) {
                remove(at);
            }
        }
    }

    private boolean isBelowPod(Path path) {
        Path pods = layout.pods();
        int fixed =
                path.startsWith(pods) ? pods.getNameCount() + 1 : layout.root().getNameCount() + 1;
        return path.startsWith(layout.root()) && path.getNameCount() > fixed;
    }

    private boolean isEmpty(Path directory) {
        if (directories.stream().anyMatch(each -> !each.equals(directory) && each.startsWith(directory))) {
            return false;
        }
        if (directoryMode == DirectoryMode.REMEMBERED) {
            return true;
        }
        String[] names = directory.toFile().list();
        return names == null || names.length == 0;
    }

    private void remove(Path directory) throws VolumeException {
        if (!isEmpty(directory)) {
            throw notEmpty(directory);
        }
        if (directoryMode == DirectoryMode.REAL) {
            try {
                Files.deleteIfExists(directory);
            } catch (DirectoryNotEmptyException e) {
                throw notEmpty(directory);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        directories.remove(directory);
    }

    private static VolumeException notEmpty(Path directory) {
        return VolumeException.uncertain("NotEmpty", directory + " is not empty; nothing was deleted", "");
    }

    @Override
    public void bind(Path source, Path target, Access access) throws VolumeException {
        bindAt(source.toString(), target, BindSettings.of(access));
    }

    @Override
    public void bind(Descriptor source, Path target, BindSettings settings) throws VolumeException {
        bindAt(source.path(), target, settings);
    }

    private void bindAt(String source, Path target, BindSettings settings) throws VolumeException {
        List<String> options = settings.options();
        String how = (settings.isRecursive() ? "rbind," : "") + String.join(",", options);
        record("bind " + displayPath(Path.of(source)) + " at " + displayPath(target) + ' ' + how);
        synchronized (this) {
            // Like the real mounter: the mount point is created, a directory or an empty file.
            remember(target);
        }
        happen(target, () -> bindMount(source, target, options));
    }

    private void bindMount(String source, Path target, List<String> options) {
        MountTable.Mount from = table().of(Path.of(source));
        add(from.device(), source, target, options, from.type(), from.source());
    }

    @Override
    public void mountTmpfs(Path target, TmpfsOptions size) throws VolumeException {
        String mode = Integer.toOctalString(size.permissions());
        record("memory " + size.bytes() + " " + mode + " at " + displayPath(target));
        List<String> options = new ArrayList<>(List.of("rw", "mode=" + mode));
        if (size.bytes() > 0) {
            options.add("size=" + size.bytes());
        }
        happen(target, () -> add("0:" + (lastId + 40), "/", target, options, "tmpfs", "tmpfs"));
    }

    @Override
    public void mount(MountCommand command) throws VolumeException {
        Path target = command.target();
        String options = String.join(",", command.options());
        record("mount " + command.type() + " " + command.source() + " at " + displayPath(target) + " " + options);
        happen(
                target,
                () -> add("0:" + (lastId + 40), "/", target, command.options(), command.type(), command.source()));
    }

    private synchronized void happen(Path target, Runnable mount) throws VolumeException {
        requireBelowRoot(target);
        Optional<InjectedMountFailure> failure = next(mountFailures, target);
        if (failure.isEmpty() || failure.get().stillHappens()) {
            if (!directories.contains(target) && directoryMode == DirectoryMode.REMEMBERED) {
                throw new AssertionError("Mount point " + target + " was not created");
            }
            mount.run();
        }
        if (failure.isPresent()) {
            throw failure.get().exception();
        }
    }

    private void add(String device, String root, Path point, List<String> options, String type, String source) {
        int parent = table().of(point).id();
        lastId++;
        mounts.add(new MountTable.Mount(lastId, parent, device, root, point.toString(), options, type, source));
    }

    @Override
    public void unmount(Path target, UnmountTimeouts limits, OperationProgress progress) throws VolumeException {
        record("unmount " + displayPath(target));
        synchronized (this) {
            requireBelowRoot(target);
            Optional<InjectedMountFailure> failure = next(unmountFailures, target);
            if (failure.isEmpty() || failure.get().stillHappens()) {
                vanish(target);
            }
            if (failure.isPresent()) {
                throw failure.get().exception();
            }
        }
    }

    private static Optional<InjectedMountFailure> next(Map<Path, List<InjectedMountFailure>> failures, Path target) {
        List<InjectedMountFailure> all = failures.getOrDefault(target, List.of());
        return all.isEmpty() ? Optional.empty() : Optional.of(all.remove(0));
    }

    private void record(String line) {
        Consumer<String> current;
        synchronized (this) {
            current = hook;
        }
        // Outside of the lock: a hook that blocks must not block other threads.
        current.accept(line);
        synchronized (this) {
            calls.add(line);
        }
    }

    private void requireBelowRoot(Path target) {
        if (!target.startsWith(layout.root())) {
            throw new AssertionError("target must be below " + layout.root() + ", got " + target);
        }
    }

    private String displayPath(Path path) {
        if (path.equals(layout.root())) {
            return ".";
        }
        return path.startsWith(layout.root()) ? layout.root().relativize(path).toString() : path.toString();
    }
}
