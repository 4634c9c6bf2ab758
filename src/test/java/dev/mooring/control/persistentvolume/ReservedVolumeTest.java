package dev.mooring.control.persistentvolume;

import static dev.mooring.control.persistentvolume.PersistentVolumeControllerTest.binder;
import static dev.mooring.control.persistentvolume.PersistentVolumeControllerTest.claim;
import static dev.mooring.control.persistentvolume.PersistentVolumeControllerTest.tree;
import static dev.mooring.control.persistentvolume.PersistentVolumeControllerTest.volume;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ControllerFixture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Volumes that are reserved for a claim that cannot bind to them. */
class ReservedVolumeTest {
    /** The claimRef of a Released volume is edited to name a claim by its uid, as a restore by hand does. */
    @ParameterizedTest
    @ValueSource(strings = {"", ", volumeName: v"})
    void releasedVolume_reservedForTooLargeClaim_isAvailableWithTheReason(String name) {
        ControllerFixture binder = binder(
                volume("v", "1Gi", ", claimRef: {namespace: default, name: c, uid: uid-c}")
                        .replace("phase: Pending", "phase: Released, reason: ClaimDeleted, message: m"),
                claim("c", "2Gi", name));

        assertThat(statusOf(binder))
                .isEqualTo("{\"phase\":\"Available\",\"reason\":\"ClaimMismatch\",\"message\":\"reserved for claim"
                        + " default/c (uid uid-c), which cannot bind to it: requested PV is too small (1Gi < 2Gi)\"}");

        binder.put(volume("v", "2Gi", ", claimRef: {namespace: default, name: c, uid: uid-c}")
                        .replace("phase: Pending", "phase: Available, reason: ClaimMismatch, message: m"))
                .settle();
        assertThat(statusOf(binder)).isEqualTo("{\"phase\":\"Bound\"}");
    }

    private static String statusOf(ControllerFixture binder) {
        ObjectNode status = (ObjectNode) tree(binder, "persistentvolumes/v").path("status");
        status.remove("lastPhaseTransitionTime");
        return status.toString();
    }
}
