package dev.mooring.node.usage;

import dev.mooring.volume.usage.Measured;
import dev.mooring.volume.usage.Measured.Belonging;
import dev.mooring.volume.usage.Space;
import dev.mooring.volume.usage.UsageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A machine with file systems as full as a test says. */
final class FakeMeter implements UsageRounds.Meter {
    static final long MI = 1 << 20;

    final List<String> asked = new ArrayList<>();
    final Map<Path, Measured> known = new HashMap<>();
    final Map<Path, Long> sums = new HashMap<>();
    final Set<Path> unclear = new HashSet<>();

    /** A file system of 100 Mi of its own. */
    void own(String path, long usedMi) {
        known.put(Path.of(path), measured(usedMi, Belonging.OWN));
    }

    /** A directory in a file system of 100 Mi. */
    void shared(String path, long usedMi, long filesMi) {
        known.put(Path.of(path), measured(usedMi, Belonging.SHARED));
        sums.put(Path.of(path), filesMi * MI);
    }

    private static Measured measured(long usedMi, Belonging belonging) {
        return new Measured(new Space(100 * MI, (100 - usedMi) * MI, usedMi * MI, 1000, 990), belonging);
    }

    private Measured answer(String how, Path path) throws UsageException {
        asked.add(how + ' ' + path);
        Measured found = known.get(path);
        if (found == null) {
            throw new UsageException("nothing there");
        }
        return found;
    }

    @Override
    public Optional<Measured> atOnce(Path path) throws UsageException {
        return unclear.contains(path) ? Optional.empty() : Optional.of(answer("atOnce", path));
    }

    @Override
    public Measured patiently(Path path) throws UsageException {
        return answer("patiently", path);
    }

    @Override
    public Measured export(Path path) throws UsageException {
        return answer("export", path);
    }

    @Override
    public long sum(Path directory) throws UsageException {
        asked.add("sum " + directory);
        if (!sums.containsKey(directory)) {
            throw new UsageException("nothing there");
        }
        return sums.get(directory);
    }

    List<String> asked() {
        List<String> since = List.copyOf(asked);
        asked.clear();
        return since;
    }
}
