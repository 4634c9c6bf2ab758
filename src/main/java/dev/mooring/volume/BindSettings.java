package dev.mooring.volume;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Settings of a bind mount.
 *
 * @param restrictions restrictions of this mount in addition to those of the source's mount
 */
public record BindSettings(Access access, Depth depth, Set<Restriction> restrictions) {
    /** How mounts below the source are handled. */
    public enum Depth {
        /** Mounts below the source are not visible, now or later. */
        ALONE,
        /** Mounts below the source are visible, including later ones; they are unmounted with the bind mount. */
        WITH_MOUNTS_BELOW
    }

    /** Restricts what programs can do with the files of a mount, regardless of file permissions. */
    public enum Restriction {
        NO_SET_ID("nosuid", "suid"),
        NO_DEVICES("nodev", "dev");

        private final String option;
        private final String opposite;

        Restriction(String option, String opposite) {
            this.option = option;
            this.opposite = opposite;
        }

        /** Returns the option name that mount(8) and the mount table use. */
        public String option() {
            return option;
        }
    }

    public BindSettings {
        restrictions = Set.copyOf(restrictions);
    }

    /** Returns settings with the options of the source's mount and without mounts below the source. */
    public static BindSettings of(Access access) {
        return new BindSettings(access, Depth.ALONE, Set.of());
    }

    public static BindSettings of(Access access, Set<Restriction> restrictions) {
        return new BindSettings(access, Depth.ALONE, restrictions);
    }

    public boolean isRecursive() {
        return depth == Depth.WITH_MOUNTS_BELOW;
    }

    /** Returns the options as they appear in the mount table. */
    public List<String> options() {
        List<String> options = new ArrayList<>(List.of(access == Access.READ_ONLY ? "ro" : "rw"));
        for (Restriction each : Restriction.values()) {
            if (restrictions.contains(each)) {
                options.add(each.option);
            }
        }
        return options;
    }

    /** Returns the restrictions of a volume: all that its mount options do not lift ({@code suid}, {@code dev}). */
    public static Set<Restriction> restrictions(List<String> mountOptions) {
        Set<Restriction> restrictions = EnumSet.allOf(Restriction.class);
        restrictions.removeIf(each -> mountOptions.lastIndexOf(each.opposite) > mountOptions.lastIndexOf(each.option));
        return restrictions;
    }

    /** Returns the mount options of a volume for mount(8), with the restrictions that they do not lift. */
    public static List<String> restricted(List<String> mountOptions) {
        List<String> options = new ArrayList<>(mountOptions);
        for (Restriction each : Restriction.values()) {
            if (restrictions(mountOptions).contains(each) && !options.contains(each.option)) {
                options.add(each.option);
            }
        }
        return options;
    }
}
