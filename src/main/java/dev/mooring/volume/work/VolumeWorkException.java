package dev.mooring.volume.work;

import dev.mooring.host.CommandException;
import dev.mooring.host.PathException;
import dev.mooring.model.OneLine;
import java.io.IOException;

/**
 * A failed job on a volume that may be retried. The reason is one CamelCase word; the message says what was expected,
 * what was found and what to do next; raw is the output of the failed program or system call.
 */
public final class VolumeWorkException extends Exception {
    private static final long serialVersionUID = 1L;

    /** The request is invalid; a retry cannot succeed. */
    public static final String INVALID = "Invalid";
    /** The path is not below an allowed base. */
    public static final String OUTSIDE_BASE = "OutsideBase";
    /** The base directory does not exist: its disk may not be mounted. */
    public static final String BASE_MISSING = "BaseMissing";
    /** The path contains a symbolic link or something that is not a directory. */
    public static final String DIVERTED = "Diverted";
    /** The path for the new volume already exists. */
    public static final String OCCUPIED = "Occupied";
    /** The path holds data that was retained for another claim. */
    public static final String KEPT = "Kept";
    /** The data has no marker that shows that it was created for a volume. */
    public static final String UNMARKED = "Unmarked";
    /** The data was created for another volume. */
    public static final String WRONG_MARKER = "WrongMarker";
    /** Something is mounted below the path. */
    public static final String MOUNTED_BELOW = "MountedBelow";
    /** The data is still in use. */
    public static final String IN_USE = "InUse";
    /** The directory must never be emptied. */
    public static final String REFUSED = "Refused";
    /** The directory does not exist. */
    public static final String MISSING = "Missing";
    /** The file system does not have enough capacity. */
    public static final String NO_SPACE = "NoSpace";
    /** A share could not be mounted or unmounted. */
    public static final String MOUNT_FAILED = "MountFailed";
    /** A required program is not installed. */
    public static final String COMMAND_MISSING = "CommandMissing";
    /** A program failed. */
    public static final String COMMAND_FAILED = "CommandFailed";
    /** The job timed out. */
    public static final String TOO_SLOW = "TooSlow";
    /** A file system operation failed. */
    public static final String FILE_SYSTEM = "FileSystem";

    private final String reason;
    private final String raw;

    public VolumeWorkException(String reason, String message) {
        this(reason, message, "");
    }

    public VolumeWorkException(String reason, String message, String raw) {
        super(OneLine.of(message));
        this.reason = reason;
        this.raw = raw;
    }

    static VolumeWorkException of(String action, IOException e) {
        if (e instanceof PathException path && path.isThroughSymlink()) {
            return new VolumeWorkException(
                    DIVERTED,
                    "Cannot " + action
                            + ": the path contains a symbolic link or something else that is not a directory; links are"
                            + " never followed; use the real path, or replace it by a directory",
                    e.getMessage());
        }
        if (e instanceof PathException path && path.isOtherMount()) {
            return new VolumeWorkException(
                    MOUNTED_BELOW,
                    "Cannot " + action + ": another file system is mounted inside; unmount it, then it is retried",
                    e.getMessage());
        }
        return new VolumeWorkException(
                FILE_SYSTEM, "Cannot " + action + ": " + e.getMessage() + "; retrying", String.valueOf(e.getMessage()));
    }

    static VolumeWorkException of(CommandException e) {
        String reason = switch (e.kind()) {
            case MISSING -> COMMAND_MISSING;
            case NOT_STARTED -> COMMAND_FAILED;
            case TIMED_OUT -> TOO_SLOW;
        };
        return new VolumeWorkException(reason, e.getMessage(), e.getMessage());
    }

    public String reason() {
        return reason;
    }

    public String raw() {
        return raw;
    }
}
