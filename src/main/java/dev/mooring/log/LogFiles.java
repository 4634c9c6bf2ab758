package dev.mooring.log;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * File names in a log's directory. Zero-padded revisions make names sort by revision. A file that ends in {@code .tmp}
 * is incomplete and may be removed by the holder of the lock.
 */
final class LogFiles {
    static final String LOCK = "lock";
    static final String STATE = "state";
    static final String UNFINISHED = ".tmp";

    /** Suffix of a complete file of a rewritten log, beside the file that it replaces. */
    static final String REWRITTEN = ".new";

    /** Marker file; while it exists, the rewritten files are the log. */
    static final String REWRITE = "rewrite";

    private static final String SEGMENT_PREFIX = "events-";
    private static final String SEGMENT_SUFFIX = ".log";
    private static final String INDEX_SUFFIX = ".index";
    private static final String SNAPSHOT_PREFIX = "world-";
    private static final String SNAPSHOT_SUFFIX = ".snapshot";
    private static final int DIGITS = 19;

    private LogFiles() {}

    static String segment(long firstRevision) {
        return name(SEGMENT_PREFIX, firstRevision, SEGMENT_SUFFIX);
    }

    /** Returns the name of a segment's index. */
    static String index(long firstRevision) {
        return name(SEGMENT_PREFIX, firstRevision, INDEX_SUFFIX);
    }

    static String snapshot(long revision) {
        return name(SNAPSHOT_PREFIX, revision, SNAPSHOT_SUFFIX);
    }

    /** Returns the first revisions of the segments, ascending. */
    static List<Long> segments(Disk disk, Path directory) throws IOException {
        return revisions(disk, directory, SEGMENT_PREFIX, SEGMENT_SUFFIX);
    }

    /** Returns the revisions of the snapshots, ascending. */
    static List<Long> snapshots(Disk disk, Path directory) throws IOException {
        return revisions(disk, directory, SNAPSHOT_PREFIX, SNAPSHOT_SUFFIX);
    }

    static void removeUnfinished(Disk disk, Path directory) throws IOException {
        for (String name : disk.list(directory)) {
            if (name.endsWith(UNFINISHED)) {
                disk.delete(directory.resolve(name));
            }
        }
    }

    private static List<Long> revisions(Disk disk, Path directory, String prefix, String suffix) throws IOException {
        List<Long> revisions = new ArrayList<>();
        try {
            for (String name : disk.list(directory)) {
                revision(name, prefix, suffix).ifPresent(revisions::add);
            }
        } catch (NoSuchFileException e) {
            throw new NoSuchFileException(directory.toString(), null, "there is no log in this directory");
        }
        return revisions;
    }

    private static String name(String prefix, long revision, String suffix) {
        return prefix + String.format("%0" + DIGITS + "d", revision) + suffix;
    }

    private static OptionalLong revision(String name, String prefix, String suffix) {
        if (!name.startsWith(prefix)
                || !name.endsWith(suffix)
                || name.length() != prefix.length() + DIGITS + suffix.length()) {
            return OptionalLong.empty();
        }
        String digits = name.substring(prefix.length(), prefix.length() + DIGITS);
        return digits.chars().allMatch(c -> c >= '0' && c <= '9')
                ? OptionalLong.of(Long.parseLong(digits))
                : OptionalLong.empty();
    }
}
