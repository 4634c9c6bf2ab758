package dev.mooring.node.reconcile;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * What one Pod wants of one volume. A Pod can name it twice, by two volumes of the same claim: it then has one mount, through which it may
 * write if one of the two may.
 */
record Wish(List<DesiredVolume> parts) {
    private static final int FINGERPRINT_BYTES = 8;

    Wish {
        parts = List.copyOf(parts);
    }

    static Wish of(String podUid, List<DesiredVolume> desired) {
        return new Wish(
                desired.stream().filter(each -> each.pod().uid().equals(podUid)).toList());
    }

    boolean isPresent() {
        return !parts.isEmpty();
    }

    DesiredVolume first() {
        return parts.get(0);
    }

    Access access() {
        return parts.stream().allMatch(DesiredVolume::isReadOnly) ? Access.READ_ONLY : Access.READ_WRITE;
    }

    /** How large the volume should be, 0 if nobody says. */
    static long bytes(List<DesiredVolume> desired) {
        return desired.stream()
                .mapToLong(each -> each.capacity().map(Quantity::value).orElse(0L))
                .max()
                .orElse(0);
    }

    boolean isBlock() {
        return first().mode() == VolumeMode.BLOCK;
    }

    /** Another one means that something else is wanted, so that failures with the old one count for nothing. */
    static String fingerprint(List<DesiredVolume> desired) {
        MessageDigest digest = sha256();
        for (DesiredVolume each : desired) {
            ObjectNode spec = each.spec().deepCopy();
            spec.remove("since");
            digest.update(spec.toString().getBytes(StandardCharsets.UTF_8));
        }
        return HexFormat.of().formatHex(digest.digest(), 0, FINGERPRINT_BYTES);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Expected every Java to know SHA-256, but this one does not", e);
        }
    }
}
