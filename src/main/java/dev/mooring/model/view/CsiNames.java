package dev.mooring.model.view;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/** The names by which Kubernetes, its attachers and its nodes know attached volumes. Pure. */
public final class CsiNames {
    /** What entries of {@code volumesAttached} and {@code volumesInUse} begin with that are about volumes of a CSI driver. */
    public static final String PLUGIN = "kubernetes.io/csi/";

    private static final String ATTACHMENT = "csi-";
    private static final int DIGEST_DIGITS = 64;

    private CsiNames() {}

    /** The VolumeAttachment of a volume and a node. */
    public static String attachment(String driver, String handle, String node) {
        byte[] named = (handle + driver + node).getBytes(StandardCharsets.UTF_8);
        try {
            return ATTACHMENT
                    + HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(named));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Expected every Java to know SHA-256, but this one does not", e);
        }
    }

    /** Whether a VolumeAttachment has a name as {@link #attachment} makes it; people and others name theirs otherwise. */
    public static boolean isAttachment(String name) {
        return name.length() == ATTACHMENT.length() + DIGEST_DIGITS
                && name.startsWith(ATTACHMENT)
                && name.chars().skip(ATTACHMENT.length()).allMatch(HexFormat::isHexDigit);
    }

    /** A volume in {@code volumesAttached} and {@code volumesInUse}. */
    public static String unique(String driver, String handle) {
        return PLUGIN + driver + '^' + handle;
    }

    /** The VolumeAttachment that belongs to an entry of a node's lists; nothing if it is not about a CSI driver. */
    public static Optional<String> attachment(String unique, String node) {
        int caret = unique.indexOf('^');
        if (!unique.startsWith(PLUGIN) || caret < 0) {
            return Optional.empty();
        }
        return Optional.of(attachment(unique.substring(PLUGIN.length(), caret), unique.substring(caret + 1), node));
    }
}
