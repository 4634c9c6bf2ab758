package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Digests;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;

/**
 * The request of one Pod for one volume. A Pod can refer to the same claim by two volumes: it then has one mount, which
 * is writable if one of the two is.
 */
record MountRequest(List<DesiredVolume> volumes) {
    private static final int FINGERPRINT_BYTES = 8;

    MountRequest {
        volumes = List.copyOf(volumes);
    }

    static MountRequest of(String podUid, List<DesiredVolume> desired) {
        return new MountRequest(
                desired.stream().filter(each -> each.pod().uid().equals(podUid)).toList());
    }

    boolean isPresent() {
        return !volumes.isEmpty();
    }

    DesiredVolume first() {
        return volumes.get(0);
    }

    Access access() {
        return volumes.stream().allMatch(DesiredVolume::isReadOnly) ? Access.READ_ONLY : Access.READ_WRITE;
    }

    /** Returns the requested size, 0 if there is none. */
    static long bytes(List<DesiredVolume> desired) {
        return desired.stream()
                .mapToLong(each -> each.capacity().map(Quantity::value).orElse(0L))
                .max()
                .orElse(0);
    }

    boolean isBlock() {
        return first().mode() == VolumeMode.BLOCK;
    }

    /** Returns a fingerprint of the request; failures of a request with another fingerprint do not count. */
    static String fingerprint(List<DesiredVolume> desired) {
        MessageDigest digest = Digests.newSha256();
        for (DesiredVolume each : desired) {
            ObjectNode spec = each.spec().deepCopy();
            spec.remove("since");
            digest.update(spec.toString().getBytes(StandardCharsets.UTF_8));
        }
        return HexFormat.of().formatHex(digest.digest(), 0, FINGERPRINT_BYTES);
    }
}
