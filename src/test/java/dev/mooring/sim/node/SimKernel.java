package dev.mooring.sim.node;

import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.path.MountTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Mounts, loop devices and Mooring's own directories of one machine. Survives processes; a reboot takes all but the directories. */
final class SimKernel {
    private final NodeLayout layout;
    private final Map<String, List<Mount>> mounts = new TreeMap<>();
    private final Map<String, String> loops = new TreeMap<>();
    private final Set<String> directories = new TreeSet<>();
    private final Set<Integer> stale = new TreeSet<>();
    private int ids = 10;

    /**
     * Something mounted.
     *
     * @param source as the kernel calls it
     * @param place whose data it shows
     * @param device the loop device behind it; "" if there is none
     * @param podUid for whom; "" for all
     * @param volumeUid of the PersistentVolume; "" if it is none
     */
    record Mount(
            int id,
            String target,
            String source,
            String type,
            Place place,
            boolean readOnly,
            String device,
            String podUid,
            String volumeUid) {}

    SimKernel(NodeLayout layout) {
        this.layout = layout;
    }

    NodeLayout layout() {
        return layout;
    }

    /** A number for the next mount. */
    int nextId() {
        return ids++;
    }

    void mount(Mount what) {
        mounts.computeIfAbsent(what.target(), unused -> new ArrayList<>()).add(what);
    }

    /** The same once more, over itself. */
    void mountAgain(Mount what) {
        mount(new Mount(
                nextId(),
                what.target(),
                what.source(),
                what.type(),
                what.place(),
                what.readOnly(),
                what.device(),
                what.podUid(),
                what.volumeUid()));
    }

    /** Everything that is mounted there. */
    List<Mount> unmount(String target) {
        List<Mount> gone = mounts.remove(target);
        if (gone == null) {
            return List.of();
        }
        gone.forEach(each -> stale.remove(each.id()));
        return gone;
    }

    Optional<Mount> top(String target) {
        List<Mount> there = mounts.getOrDefault(target, List.of());
        return there.isEmpty() ? Optional.empty() : Optional.of(there.get(there.size() - 1));
    }

    /** How many lie over one another. */
    int depth(String target) {
        return mounts.getOrDefault(target, List.of()).size();
    }

    List<Mount> all() {
        List<Mount> all = new ArrayList<>();
        mounts.values().forEach(all::addAll);
        return all;
    }

    void makeStale(Mount mount) {
        stale.add(mount.id());
    }

    boolean isStale(Mount mount) {
        return stale.contains(mount.id());
    }

    void allFresh() {
        stale.clear();
    }

    /** The device of an image, a new one if it has none: the first that is free. */
    String attach(String image) {
        Optional<String> there = device(image);
        if (there.isPresent()) {
            return there.get();
        }
        int number = 0;
        while (loops.containsKey("/dev/loop" + number)) {
            number++;
        }
        loops.put("/dev/loop" + number, image);
        return "/dev/loop" + number;
    }

    Optional<String> device(String image) {
        return loops.entrySet().stream()
                .filter(each -> each.getValue().equals(image))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    void detach(String device) {
        loops.remove(device);
    }

    /** Devices and the images behind them. */
    Map<String, String> loops() {
        return loops;
    }

    /** With those above it, below the own root. */
    void makeDirectory(String path) {
        for (Path each = Path.of(path); each.startsWith(layout.root()) && !each.equals(layout.root()); ) {
            if (!directories.add(each.toString())) {
                return;
            }
            each = each.getParent();
        }
    }

    /** And those above it that are empty thereby, except the Pod's own. */
    void removeDirectory(String path) {
        for (Path each = Path.of(path); each.startsWith(layout.root()) && !each.equals(layout.root()); ) {
            boolean isPods =
                    layout.pods().equals(each.getParent()) || layout.pods().equals(each);
            if (isPods || !isEmpty(each.toString())) {
                return;
            }
            directories.remove(each.toString());
            each = each.getParent();
        }
    }

    private boolean isEmpty(String path) {
        String below = path + '/';
        String next = ((TreeSet<String>) directories).ceiling(below);
        return next == null || !next.startsWith(below);
    }

    boolean hasDirectory(String path) {
        return directories.contains(path);
    }

    Set<String> directories() {
        return directories;
    }

    /** Those below a path, with it. */
    List<String> below(String path) {
        return directories.stream()
                .filter(each -> each.equals(path) || each.startsWith(path + '/'))
                .toList();
    }

    void forgetDirectories(List<String> gone) {
        directories.removeAll(gone);
    }

    MountTable table() {
        List<MountTable.Mount> table = new ArrayList<>();
        table.add(new MountTable.Mount(1, 0, "8:1", "/", "/", List.of("rw"), "ext4", "/dev/root"));
        for (Mount each : all()) {
            String number = each.device().isEmpty()
                    ? "0:" + each.id()
                    : "7:" + each.device().substring(9);
            table.add(new MountTable.Mount(
                    each.id(),
                    1,
                    number,
                    "/",
                    each.target(),
                    List.of(each.readOnly() ? "ro" : "rw"),
                    each.type(),
                    each.source()));
        }
        return new MountTable(table);
    }

    void reboot() {
        mounts.clear();
        loops.clear();
        stale.clear();
    }
}
