package dev.mooring.sim.node;

import dev.mooring.host.MountTable;
import dev.mooring.volume.NodeLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Mounts, loop devices and Mooring's directories of one machine. Survives processes; a reboot removes everything except
 * the directories.
 */
final class SimKernel {
    private final NodeLayout layout;
    private final Map<String, List<SimMount>> mounts = new TreeMap<>();
    private final Map<String, String> loops = new TreeMap<>();
    private final Set<String> directories = new TreeSet<>();
    private final Set<Integer> stale = new TreeSet<>();
    private int ids = 10;

    /**
     * A mount.
     *
     * @param source as shown by the kernel
     * @param dataLocation the data it shows
     * @param device the loop device behind it; "" if none
     * @param podUid the Pod that it is for; "" for all Pods
     * @param volumeUid uid of the PersistentVolume; "" if none
     */
    record SimMount(
            int id,
            String target,
            String source,
            String type,
            DataLocation dataLocation,
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

    /** Returns the id for the next mount. */
    int nextId() {
        return ids++;
    }

    void mount(SimMount mount) {
        mounts.computeIfAbsent(mount.target(), unused -> new ArrayList<>()).add(mount);
    }

    /** Mounts the same data again on top of itself. */
    void mountAgain(SimMount mount) {
        mount(new SimMount(
                nextId(),
                mount.target(),
                mount.source(),
                mount.type(),
                mount.dataLocation(),
                mount.readOnly(),
                mount.device(),
                mount.podUid(),
                mount.volumeUid()));
    }

    /**
     * Removes all mounts at the target.
     *
     * @return the removed mounts
     */
    List<SimMount> unmount(String target) {
        List<SimMount> removed = mounts.remove(target);
        if (removed == null) {
            return List.of();
        }
        removed.forEach(each -> stale.remove(each.id()));
        return removed;
    }

    Optional<SimMount> top(String target) {
        List<SimMount> stack = mounts.getOrDefault(target, List.of());
        return stack.isEmpty() ? Optional.empty() : Optional.of(stack.get(stack.size() - 1));
    }

    /** Returns the number of mounts on top of each other. */
    int depth(String target) {
        return mounts.getOrDefault(target, List.of()).size();
    }

    List<SimMount> all() {
        List<SimMount> all = new ArrayList<>();
        mounts.values().forEach(all::addAll);
        return all;
    }

    void makeStale(SimMount mount) {
        stale.add(mount.id());
    }

    boolean isStale(SimMount mount) {
        return stale.contains(mount.id());
    }

    void allFresh() {
        stale.clear();
    }

    /** Returns the loop device of an image; attaches the first free device if it has none. */
    String attach(String image) {
        Optional<String> existing = device(image);
        if (existing.isPresent()) {
            return existing.get();
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

    /** Images by loop device. */
    Map<String, String> loops() {
        return loops;
    }

    /** Creates a directory and its parents below Mooring's root. */
    void makeDirectory(String path) {
        for (Path each = Path.of(path); each.startsWith(layout.root()) && !each.equals(layout.root()); ) {
            if (!directories.add(each.toString())) {
                return;
            }
            each = each.getParent();
        }
    }

    /** Removes a directory if it is empty, and its parents that become empty, except the Pod's directory. */
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

    /** Returns the directories at and below a path. */
    List<String> below(String path) {
        return directories.stream()
                .filter(each -> each.equals(path) || each.startsWith(path + '/'))
                .toList();
    }

    void forgetDirectories(List<String> removed) {
        directories.removeAll(removed);
    }

    MountTable table() {
        List<MountTable.Mount> table = new ArrayList<>();
        table.add(new MountTable.Mount(1, 0, "8:1", "/", "/", List.of("rw"), "ext4", "/dev/root"));
        for (SimMount each : all()) {
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
