package dev.mooring.volume.mount;

import dev.mooring.volume.Access;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.Progress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.path.Descriptor;
import dev.mooring.volume.path.MountTable;
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
 * Plays the kernel's mounts for tests of plugins: keeps a mount table and directories, writes down every call as a line, and breaks when
 * told. Paths below the layout's root appear without it: {@code bind /srv/data at pods/u/volumes/p/v rw}. A plugin that removes something
 * at or below which something is mounted fails its test at once, with an {@link AssertionError}. Several threads at once.
 *
 * <p>Lines: {@code makeDirectory T}, {@code removeDirectory T}, {@code bind SOURCE at T rw|ro}, {@code memory BYTES MODE at T},
 * {@code mount TYPE SOURCE at T OPTIONS}, {@code unmount T}. Questions ({@link #table}, {@link #isMountPoint}) are not written down.
 */
public final class FakeMounter implements Mounter {
    private static final MountTable.Mount ROOT =
            new MountTable.Mount(1, 0, "254:0", "/", "/", List.of("rw", "relatime"), "ext4", "/dev/vda");

    /** Where directories are. */
    private enum Directories {
        REMEMBERED,
        REAL
    }

    /** What goes wrong at a path the next time. */
    private record Trouble(VolumeException exception, boolean happensAllTheSame) {}

    private final NodeLayout layout;
    private final Directories kept;
    private final List<String> calls = new ArrayList<>();
    private final List<MountTable.Mount> mounts = new ArrayList<>(List.of(ROOT));
    private final Set<Path> directories = new TreeSet<>();
    private final Map<Path, List<Trouble>> mountTroubles = new HashMap<>();
    private final Map<Path, List<Trouble>> unmountTroubles = new HashMap<>();
    private Consumer<String> hook = line -> {};
    private int lastId = 1;

    private FakeMounter(NodeLayout layout, Directories kept) {
        this.layout = layout;
        this.kept = kept;
    }

    /** Touches no disk: directories are only remembered. */
    public static FakeMounter inMemory(NodeLayout layout) {
        return new FakeMounter(layout, Directories.REMEMBERED);
    }

    /** Makes and removes real directories, for plugins that put something into them. Nothing is really mounted. */
    public static FakeMounter onDisk(NodeLayout layout) {
        return new FakeMounter(layout, Directories.REAL);
    }

    /** What was asked for, in order. */
    public synchronized List<String> calls() {
        return List.copyOf(calls);
    }

    public synchronized void forgetCalls() {
        calls.clear();
    }

    /** Is given each line before it happens; may block, or throw an error as if the process had died then. */
    public synchronized void beforeEach(Consumer<String> newHook) {
        hook = newHook;
    }

    /** What is mounted, without the root: {@code T TYPE SOURCE OPTIONS}, or for a bind {@code T bind SOURCE rw}. */
    public synchronized List<String> mounted() {
        return mounts.stream()
                .filter(each -> !each.equals(ROOT))
                .map(each -> {
                    String what = each.root().equals("/")
                            ? each.type() + " " + each.source() + " " + String.join(",", each.options())
                            : "bind " + each.root() + " " + (each.isReadOnly() ? "ro" : "rw");
                    return words(Path.of(each.point())) + " " + what;
                })
                .toList();
    }

    /** Those made and not removed, as text without the root. */
    public synchronized List<String> directories() {
        return directories.stream().map(this::words).toList();
    }

    /** As if it had been mounted before the test began, or by somebody else. */
    public synchronized void alreadyMounted(Path point, String type, String source, String... options) {
        List<String> all = options.length == 0 ? List.of("rw") : List.of(options);
        add("0:" + (lastId + 40), "/", point, all, type, source);
    }

    /** The same for a bind mount of a local directory. */
    public synchronized void alreadyBound(Path source, Path target, Access access) {
        bindMount(source.toString(), target, access);
    }

    /** As if somebody else had unmounted everything there, such as a restart of the machine. */
    public synchronized void vanish(Path point) {
        mounts.removeIf(each -> each.point().equals(point.toString()));
    }

    /** The next mount, bind or memory at the target fails and leaves nothing. May be said several times for several failures. */
    public synchronized void failNextMount(Path target, VolumeException exception) {
        add(mountTroubles, target, new Trouble(exception, false));
    }

    /** The next mount at the target happens, but whoever asked for it is told otherwise. */
    public synchronized void halfSucceedNextMount(Path target, VolumeException exception) {
        add(mountTroubles, target, new Trouble(exception, true));
    }

    /** The next mount at the target hangs until its deadline and is killed; nothing is mounted. */
    public synchronized void hangNextMount(Path target) {
        failNextMount(target, tooSlow("mount", target));
    }

    /** The next unmount of the target fails: it stays mounted. */
    public synchronized void failNextUnmount(Path target, VolumeException exception) {
        add(unmountTroubles, target, new Trouble(exception, false));
    }

    /** The next unmount of the target happens, but whoever asked for it is told otherwise. */
    public synchronized void halfSucceedNextUnmount(Path target, VolumeException exception) {
        add(unmountTroubles, target, new Trouble(exception, true));
    }

    /** The next unmount of the target hangs in all its ways; it stays mounted. */
    public synchronized void hangNextUnmount(Path target) {
        failNextUnmount(target, tooSlow("umount", target));
    }

    private static VolumeException tooSlow(String program, Path target) {
        return VolumeException.uncertain(
                "TooSlow", "Expected `" + program + " " + target + "` to end in time, but it did not", "");
    }

    private static void add(Map<Path, List<Trouble>> troubles, Path target, Trouble trouble) {
        troubles.computeIfAbsent(target, any -> new ArrayList<>()).add(trouble);
    }

    @Override
    public synchronized MountTable table() {
        return new MountTable(mounts);
    }

    @Override
    public synchronized boolean isMountPoint(Path target) {
        mustBeOwn(target);
        return table().isMountPoint(target);
    }

    @Override
    public void makeDirectory(Path target) throws VolumeException {
        say("makeDirectory " + words(target));
        synchronized (this) {
            mustBeOwn(target);
            remember(target);
        }
        if (kept == Directories.REAL) {
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
        say("removeDirectory " + words(target));
        synchronized (this) {
            mustBeOwn(target);
            for (MountTable.Mount each : mounts) {
                if (Path.of(each.point()).startsWith(target)) {
                    throw new AssertionError(
                            "Expected nothing to be removed below a mount, but " + words(target) + " was asked to go"
                                    + " while " + each.type() + " " + each.source() + " is mounted at " + each.point());
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
        if (kept == Directories.REMEMBERED) {
            return true;
        }
        String[] names = directory.toFile().list();
        return names == null || names.length == 0;
    }

    private void remove(Path directory) throws VolumeException {
        if (!isEmpty(directory)) {
            throw notEmpty(directory);
        }
        if (kept == Directories.REAL) {
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
        return VolumeException.uncertain(
                "NotEmpty", "Expected " + directory + " to be empty, but it is not; nothing was deleted", "");
    }

    @Override
    public void bind(Path source, Path target, Access access) throws VolumeException {
        bindAt(source.toString(), target, access);
    }

    @Override
    public void bind(Descriptor source, Path target, Access access) throws VolumeException {
        bindAt(source.path(), target, access);
    }

    private void bindAt(String source, Path target, Access access) throws VolumeException {
        say("bind " + words(Path.of(source)) + " at " + words(target) + (access == Access.READ_ONLY ? " ro" : " rw"));
        synchronized (this) {
            // As the real one: what is bound onto is made, a directory or an empty file.
            remember(target);
        }
        happen(target, () -> bindMount(source, target, access));
    }

    private void bindMount(String source, Path target, Access access) {
        MountTable.Mount from = table().of(Path.of(source));
        List<String> options = List.of(access == Access.READ_ONLY ? "ro" : "rw");
        add(from.device(), source, target, options, from.type(), from.source());
    }

    @Override
    public void memory(Path target, MemorySize size) throws VolumeException {
        String mode = Integer.toOctalString(size.permissions());
        say("memory " + size.bytes() + " " + mode + " at " + words(target));
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
        say("mount " + command.type() + " " + command.source() + " at " + words(target) + " " + options);
        happen(
                target,
                () -> add("0:" + (lastId + 40), "/", target, command.options(), command.type(), command.source()));
    }

    private synchronized void happen(Path target, Runnable mount) throws VolumeException {
        mustBeOwn(target);
        Optional<Trouble> trouble = next(mountTroubles, target);
        if (trouble.isEmpty() || trouble.get().happensAllTheSame()) {
            if (!directories.contains(target) && kept == Directories.REMEMBERED) {
                throw new AssertionError("Expected a directory to mount on, but nobody has made " + target);
            }
            mount.run();
        }
        if (trouble.isPresent()) {
            throw trouble.get().exception();
        }
    }

    private void add(String device, String root, Path point, List<String> options, String type, String source) {
        int parent = table().of(point).id();
        lastId++;
        mounts.add(new MountTable.Mount(lastId, parent, device, root, point.toString(), options, type, source));
    }

    @Override
    public void unmount(Path target, UnmountLimits limits, Progress progress) throws VolumeException {
        say("unmount " + words(target));
        synchronized (this) {
            mustBeOwn(target);
            Optional<Trouble> trouble = next(unmountTroubles, target);
            if (trouble.isEmpty() || trouble.get().happensAllTheSame()) {
                vanish(target);
            }
            if (trouble.isPresent()) {
                throw trouble.get().exception();
            }
        }
    }

    private static Optional<Trouble> next(Map<Path, List<Trouble>> troubles, Path target) {
        List<Trouble> all = troubles.getOrDefault(target, List.of());
        return all.isEmpty() ? Optional.empty() : Optional.of(all.remove(0));
    }

    private void say(String line) {
        Consumer<String> told;
        synchronized (this) {
            told = hook;
        }
        // Not inside the lock: whoever blocks here must not block the others.
        told.accept(line);
        synchronized (this) {
            calls.add(line);
        }
    }

    private void mustBeOwn(Path target) {
        if (!target.startsWith(layout.root())) {
            throw new AssertionError("Expected a path below " + layout.root() + ", but found " + target);
        }
    }

    private String words(Path path) {
        if (path.equals(layout.root())) {
            return ".";
        }
        return path.startsWith(layout.root()) ? layout.root().relativize(path).toString() : path.toString();
    }
}
