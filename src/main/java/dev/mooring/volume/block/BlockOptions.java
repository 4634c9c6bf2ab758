package dev.mooring.volume.block;

import dev.mooring.volume.VolumeException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Mount options that volumes on devices accept: those that affect the speed or safety of a file system, not what is
 * mounted where. All others are refused, because their effect is unknown. Stateless.
 */
final class BlockOptions {
    private static final Set<String> FLAGS = Set.of(
            "ro",
            "rw",
            "defaults",
            "atime",
            "noatime",
            "relatime",
            "norelatime",
            "strictatime",
            "diratime",
            "nodiratime",
            "lazytime",
            "nolazytime",
            "sync",
            "async",
            "dirsync",
            "dev",
            "nodev",
            "suid",
            "nosuid",
            "exec",
            "noexec",
            "discard",
            "nodiscard",
            "acl",
            "noacl",
            "user_xattr",
            "barrier",
            "nobarrier",
            "delalloc",
            "nodelalloc",
            "auto_da_alloc",
            "noauto_da_alloc",
            "journal_checksum",
            "journal_async_commit",
            "init_itable",
            "noinit_itable",
            "quota",
            "noquota",
            "usrquota",
            "grpquota",
            "prjquota",
            "uquota",
            "gquota",
            "pquota",
            "inode64",
            "inode32",
            "largeio",
            "nolargeio",
            "swalloc",
            "noalign",
            "wsync",
            "nouuid",
            "iversion",
            "i_version");

    private static final Set<String> NUMBERS = Set.of(
            "commit",
            "barrier",
            "stripe",
            "init_itable",
            "max_batch_time",
            "min_batch_time",
            "journal_ioprio",
            "inode_readahead_blks",
            "max_dir_size_kb",
            "logbufs",
            "sunit",
            "swidth");

    private static final Set<String> SIZES = Set.of("allocsize", "logbsize");

    private static final Set<String> CHOICES =
            Set.of("data=ordered", "data=journal", "data=writeback", "errors=remount-ro", "errors=continue");

    private BlockOptions() {}

    /** Returns an error that names the first unsupported option. */
    static Optional<String> validationError(List<String> options) {
        for (String each : options) {
            if (!isSupported(each)) {
                return Optional.of("mount option \"" + each
                        + "\" is not supported by block volumes: use options of ext4(5) or xfs(5) such as noatime,"
                        + " discard, data=ordered or commit=30");
            }
        }
        return Optional.empty();
    }

    static void requireSupported(List<String> options) throws VolumeException {
        Optional<String> refusal = validationError(options);
        if (refusal.isPresent()) {
            throw VolumeException.clean("InvalidOptions", refusal.get());
        }
    }

    private static boolean isSupported(String option) {
        int equals = option.indexOf('=');
        if (equals < 0) {
            return FLAGS.contains(option);
        }
        String name = option.substring(0, equals);
        String value = option.substring(equals + 1);
        if (NUMBERS.contains(name)) {
            return isNumber(value);
        }
        if (SIZES.contains(name)) {
            boolean unit = value.endsWith("k") || value.endsWith("m");
            return isNumber(unit ? value.substring(0, value.length() - 1) : value);
        }
        return CHOICES.contains(option);
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.length() <= 9 && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }
}
