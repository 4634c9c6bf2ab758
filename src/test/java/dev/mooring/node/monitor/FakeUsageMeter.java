package dev.mooring.node.monitor;

import dev.mooring.volume.work.FileSystemStats;
import dev.mooring.volume.work.MeasuredSpace;
import dev.mooring.volume.work.MeasuredSpace.FileSystemSharing;
import dev.mooring.volume.work.UsageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A fake meter of file systems; the test sets their usage. */
final class FakeUsageMeter implements UsageCollector.Meter {
    static final long MI = 1 << 20;

    final List<String> calls = new ArrayList<>();
    final Map<Path, MeasuredSpace> spaces = new HashMap<>();
    final Map<Path, Long> sizes = new HashMap<>();
    final Set<Path> mayBlock = new HashSet<>();

    /** Sets the usage of a volume with its own file system of 100 Mi. */
    void own(String path, long usedMi) {
        spaces.put(Path.of(path), measured(usedMi, FileSystemSharing.OWN));
    }

    /** Sets the usage of a directory in a shared file system of 100 Mi. */
    void shared(String path, long usedMi, long filesMi) {
        spaces.put(Path.of(path), measured(usedMi, FileSystemSharing.SHARED));
        sizes.put(Path.of(path), filesMi * MI);
    }

    private static MeasuredSpace measured(long usedMi, FileSystemSharing sharing) {
        return new MeasuredSpace(new FileSystemStats(100 * MI, (100 - usedMi) * MI, usedMi * MI, 1000, 990), sharing);
    }

    private MeasuredSpace measure(String method, Path path) throws UsageException {
        calls.add(method + ' ' + path);
        MeasuredSpace found = spaces.get(path);
        if (found == null) {
            throw new UsageException("no such path");
        }
        return found;
    }

    @Override
    public Optional<MeasuredSpace> measureNow(Path path) throws UsageException {
        return mayBlock.contains(path) ? Optional.empty() : Optional.of(measure("now", path));
    }

    @Override
    public MeasuredSpace measureBlocking(Path path) throws UsageException {
        return measure("blocking", path);
    }

    @Override
    public MeasuredSpace measureExport(Path path) throws UsageException {
        return measure("nfs", path);
    }

    @Override
    public long directorySize(Path directory) throws UsageException {
        calls.add("size " + directory);
        if (!sizes.containsKey(directory)) {
            throw new UsageException("no such path");
        }
        return sizes.get(directory);
    }

    List<String> calls() {
        List<String> result = List.copyOf(calls);
        calls.clear();
        return result;
    }
}
