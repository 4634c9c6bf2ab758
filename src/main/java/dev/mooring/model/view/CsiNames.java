package dev.mooring.model.view;

import dev.mooring.model.Digests;
import java.util.HexFormat;
import java.util.Optional;

/** Kubernetes' names of attached CSI volumes. Pure. */
public final class CsiNames {
    /** Prefix of entries of {@code volumesAttached} and {@code volumesInUse} for CSI volumes. */
    public static final String PLUGIN = "kubernetes.io/csi/";

    private static final String ATTACHMENT = "csi-";
    private static final int DIGEST_DIGITS = 64;

    private CsiNames() {}

    /** Returns the name of the VolumeAttachment of a volume and a node. */
    public static String attachment(String driver, String handle, String node) {
        return ATTACHMENT + Digests.sha256Hex(handle + driver + node);
    }

    /**
     * Returns whether a VolumeAttachment's name has the form of {@link #attachment}; other clients may use other names.
     */
    public static boolean isAttachment(String name) {
        return name.length() == ATTACHMENT.length() + DIGEST_DIGITS
                && name.startsWith(ATTACHMENT)
                && name.chars().skip(ATTACHMENT.length()).allMatch(HexFormat::isHexDigit);
    }

    /** Returns the name of a volume in {@code volumesAttached} and {@code volumesInUse}. */
    public static String uniqueVolumeName(String driver, String handle) {
        return PLUGIN + driver + '^' + handle;
    }

    /** Returns the VolumeAttachment of an entry of a node's lists; empty if it is not a CSI volume. */
    public static Optional<String> attachment(String unique, String node) {
        int caret = unique.indexOf('^');
        if (!unique.startsWith(PLUGIN) || caret < 0) {
            return Optional.empty();
        }
        return Optional.of(attachment(unique.substring(PLUGIN.length(), caret), unique.substring(caret + 1), node));
    }
}
