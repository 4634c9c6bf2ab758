package dev.mooring.control.persistentvolume;

import static dev.mooring.control.persistentvolume.ReclaimFixture.DELETED;
import static dev.mooring.control.persistentvolume.ReclaimFixture.HOST_PATH;
import static dev.mooring.control.persistentvolume.ReclaimFixture.policy;
import static dev.mooring.control.persistentvolume.ReclaimFixture.volume;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Cases G5 to G11. */
class DeletionProtectionFinalizerTest {
    private static final String BY = "pv.kubernetes.io/provisioned-by: ";

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
        G5  | mooring.dev/hostpath | Delete  |                                       | kubernetes.io/pv-controller
        G6  | mooring.dev/hostpath | Delete  | f.io/x                                | f.io/x kubernetes.io/pv-controller
        G5  | mooring.dev/hostpath | Delete  | kubernetes.io/pv-controller           | =
        G7  | mooring.dev/hostpath | Retain  |                                       | =
        G7  | mooring.dev/hostpath | Recycle |                                       | =
        G8  | mooring.dev/hostpath | Retain  | f.io/x kubernetes.io/pv-controller    | f.io/x
        G8  | mooring.dev/hostpath | Recycle | kubernetes.io/pv-controller           | -
        G9  |                      | Delete  |                                       | =
        G9  |                      | Retain  | kubernetes.io/pv-controller           | =
        G10 | vendor.io/driver     | Delete  | external-provisioner.volume.kubernetes.io/finalizer | =
        G10 | vendor.io/driver     | Retain  | kubernetes.io/pv-controller           | =
        G11 | mooring.dev/hostpath | Delete  | external-provisioner.volume.kubernetes.io/finalizer | kubernetes.io/pv-controller
        -   | mooring.dev/hostpath | Odd     | kubernetes.io/pv-controller           | =
        """)
    void provisionedVolume_reclaimPolicy_decidesFinalizer(
            String id, String by, String policy, String finalizers, String expected) {
        String list = finalizers == null ? "" : "finalizers: [" + finalizers.replace(" ", ", ") + "],";
        ReclaimFixture fixture =
                ReclaimFixture.of(volume(list, by == null ? "" : BY + by, policy(policy) + ", " + HOST_PATH, "Bound"));
        if (expected.equals("=")) {
            assertThat(fixture.run().takeEvents()).isEmpty();
        } else {
            assertThat(fixture.run().takeEvents())
                    .containsExactly("PersistentVolumeFinalizersUpdated " + ReclaimFixture.KEY);
            String after = fixture.volume().at("/metadata/finalizers").toString();
            String wanted = expected.equals("-") ? "" : "[\"" + expected.replace(" ", "\",\"") + "\"]";
            assertThat(after).isEqualTo(wanted);
        }
        fixture.assertSettled().assertForeignFieldsKept();
    }

    @Test
    void terminatingVolume_getsNoFinalizerAndIsDeletedWithItsLast() {
        ReclaimFixture deleted = ReclaimFixture.of(volume(
                DELETED + "finalizers: [f.io/x],",
                BY + "mooring.dev/local",
                policy("Delete") + ", " + HOST_PATH,
                "Bound"));
        assertThat(deleted.run().takeEvents()).isEmpty();
        ReclaimFixture kept = ReclaimFixture.of(volume(
                DELETED + "finalizers: [kubernetes.io/pv-controller],",
                BY + "mooring.dev/local",
                policy("Retain") + ", " + HOST_PATH,
                "Released"));
        assertThat(kept.run().takeEvents()).containsExactly("PersistentVolumeDeleted " + ReclaimFixture.KEY);
    }
}
