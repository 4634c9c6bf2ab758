package dev.mooring.volume.work;

import dev.mooring.volume.path.PathException;
import dev.mooring.volume.process.CommandException;
import java.io.IOException;

/**
 * Work on a volume that failed and may be tried again. The reason is one word for programs; the message says what was expected, what was
 * found and what to do next; raw is what the machine said.
 */
public final class VolumeWorkException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Something asked for cannot be, whatever the machine does. */
    public static final String INVALID = "Invalid";
    /** The path is not in a place this node gives away. */
    public static final String OUTSIDE_BASE = "OutsideBase";
    /** The directory that is to hold volumes is not there: perhaps its disk is not mounted. */
    public static final String BASE_MISSING = "BaseMissing";
    /** A symbolic link, or something that is no directory, is in the way. */
    public static final String DIVERTED = "Diverted";
    /** There is something else where the volume should be made. */
    public static final String OCCUPIED = "Occupied";
    /** There is something, but nothing shows that it was made for a volume. */
    public static final String UNMARKED = "Unmarked";
    /** It was made for another volume. */
    public static final String WRONG_MARKER = "WrongMarker";
    /** Something is mounted in it. */
    public static final String MOUNTED_BELOW = "MountedBelow";
    /** Somebody still uses it. */
    public static final String IN_USE = "InUse";
    /** The place is one that is never emptied. */
    public static final String REFUSED = "Refused";
    /** The directory is not there. */
    public static final String MISSING = "Missing";
    /** The file system could not hold what was promised. */
    public static final String NO_SPACE = "NoSpace";
    /** A share could not be mounted or unmounted. */
    public static final String MOUNT_FAILED = "MountFailed";
    /** A program of the machine is not installed. */
    public static final String COMMAND_MISSING = "CommandMissing";
    /** A program of the machine failed. */
    public static final String COMMAND_FAILED = "CommandFailed";
    /** It did not end in time. */
    public static final String TOO_SLOW = "TooSlow";
    /** The file system said no. */
    public static final String FILE_SYSTEM = "FileSystem";

    private final String reason;
    private final String raw;

    public VolumeWorkException(String reason, String message) {
        this(reason, message, "");
    }

    public VolumeWorkException(String reason, String message, String raw) {
        super(message);
        this.reason = reason;
        this.raw = raw;
    }

    static VolumeWorkException of(String doing, IOException e) {
        if (e instanceof PathException path && path.isDiverted()) {
            return new VolumeWorkException(
                    DIVERTED,
                    "Expected only directories on the way while " + doing
                            + ", but found a symbolic link or something else: no link is ever followed; name the real"
                            + " path, or put a directory in its place",
                    e.getMessage());
        }
        if (e instanceof PathException path && path.isElsewhere()) {
            return new VolumeWorkException(
                    MOUNTED_BELOW,
                    "Expected one file system while " + doing
                            + ", but something else is mounted inside: unmount it, then this is tried again",
                    e.getMessage());
        }
        return new VolumeWorkException(
                FILE_SYSTEM,
                "Expected the file system to allow " + doing + ", but it said: " + e.getMessage()
                        + "; it is tried again",
                String.valueOf(e.getMessage()));
    }

    static VolumeWorkException of(CommandException e) {
        String reason = switch (e.kind()) {
            case MISSING -> COMMAND_MISSING;
            case NOT_STARTED -> COMMAND_FAILED;
            case TOO_SLOW -> TOO_SLOW;
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
