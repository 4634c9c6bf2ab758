package dev.mooring.control.persistentvolume;

import static dev.mooring.control.persistentvolume.ProvisionFixture.BASE;
import static dev.mooring.control.persistentvolume.ProvisionFixture.CLAIM;
import static dev.mooring.control.persistentvolume.ProvisionFixture.OPERATION;
import static dev.mooring.control.persistentvolume.ProvisionFixture.UID;
import static dev.mooring.control.persistentvolume.ProvisionFixture.VOLUME;
import static dev.mooring.control.persistentvolume.ProvisionFixture.claim;
import static dev.mooring.control.persistentvolume.ProvisionFixture.condition;
import static dev.mooring.control.persistentvolume.ProvisionFixture.events;
import static dev.mooring.control.persistentvolume.ProvisionFixture.operation;
import static dev.mooring.control.persistentvolume.ProvisionFixture.run;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The check of the source that a node reports: only the one that the class's provisioner uses is accepted. */
class SourceCheckTest {
    private static String reported(String provisioner, String parameters, String status) {
        return operation("operation: Provision, node: n1, provisioner: mooring.dev/" + provisioner, status)
                .replace("onDelete: archive, basePath: /srv", parameters.replace("''", ""));
    }

    private static String annotatedBase(String annotations) {
        return BASE.replace(
                "labels: {kubernetes.io/hostname: host-1}",
                "labels: {kubernetes.io/hostname: host-1}, annotations: {" + annotations + "}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        hostpath | basePath: /srv             | {hostPath: {path: /etc, type: Directory}}
        hostpath | basePath: /srv             | {hostPath: {path: /srv/pvc-uid-data/../../etc, type: Directory}}
        hostpath | basePath: /srv             | {hostPath: {path: /srv/pvc-of-another, type: Directory}}
        hostpath | basePath: /srv             | {hostPath: {path: /srv/pvc-uid-data, type: ''}}
        hostpath | basePath: /srv             | {local: {path: /srv/pvc-uid-data}}
        hostpath | basePath: /srv             | {nfs: {server: nas, path: /srv/pvc-uid-data}}
        hostpath | basePath: /srv             | {hostPath: {path: /srv/pvc-uid-data, type: Directory}, nfs: {server: nas, path: /}}
        hostpath | basePath: /srv             | {hostPath: {path: /srv/pvc-uid-data, type: Directory}, claimRef: {name: x}}
        hostpath | ''                         | {hostPath: {path: /srv/pvc-uid-data, type: Directory}}
        local    | basePath: /srv             | {local: {path: /var/run/docker.sock}}
        nfs      | ''                         | {hostPath: {path: /etc}}
        nfs      | ''                         | {nfs: {server: evil, path: /export/pvc-uid-data}}
        nfs      | ''                         | {nfs: {server: nas, path: /export/pvc-of-another}}
        nfs      | ''                         | {nfs: {server: nas, path: /export}}
        nfs      | ''                         | {nfs: {server: nas, path: /export/pvc-uid-data, readOnly: true}}
        nfs      | server: big, share: /share | {nfs: {server: nas, path: /export/pvc-uid-data}}
        block    | basePath: /srv             | {csi: {driver: block.mooring.dev, volumeHandle: another, fsType: ext4, volumeAttributes: {image: /srv/pvc-uid-data.img}}}
        block    | basePath: /srv             | {csi: {driver: block.mooring.dev, volumeHandle: UID, fsType: ext4, volumeAttributes: {image: /dev/sda}}}
        block    | basePath: /srv             | {csi: {driver: foreign.example, volumeHandle: UID, fsType: ext4, volumeAttributes: {image: /srv/pvc-uid-data.img}}}
        """)
    void report_unexpectedSource_isRefused(String provisioner, String parameters, String source) {
        String status = "{state: Succeeded, capacity: 1Gi, source: " + source.replace("UID", UID) + "}";
        ControllerFixture run = run(annotatedBase("mooring.dev/volume-base.hostpath: /var/lib/mooring/volumes/hostpath")
                + claim("")
                + reported(provisioner, parameters, status));

        assertThat(run.takeEvents())
                .startsWith("ProvisioningRefused " + OPERATION)
                .noneMatch(each -> each.contains(VOLUME));
        ObjectNode operation = WorldFixture.tree(run.world(), OPERATION);
        assertThat(operation.path("status").path("state").asText()).isEqualTo("Failed");
        assertThat(operation.path("status").has("source")).isFalse();
        assertThat(operation.path("status").path("lastError").path("reason").asText())
                .isEqualTo("ReportRefused");
        assertThat(operation.path("status").has("nextTry")).isTrue();
        assertThat(WorldFixture.tree(run.world(), CLAIM).path("spec").has("volumeName"))
                .isFalse();
        assertThat(events(run))
                .singleElement()
                .asString()
                .startsWith("Warning ProvisioningFailed: ")
                .contains("node \"n1\" reports {")
                .contains("provisions this volume at {");
        assertThat(condition(run)).startsWith("ProvisioningFailed: ");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        hostpath | basePath: /srv               | {hostPath: {path: /srv/pvc-uid-data, type: Directory}}
        hostpath | ''                           | {hostPath: {path: /data/hostpath/pvc-uid-data, type: Directory}}
        local    | ''                           | {local: {path: /data/local/pvc-uid-data}}
        nfs      | ''                           | {nfs: {server: nas, path: /export/pvc-uid-data}}
        nfs      | server: big                  | {nfs: {server: big, path: /export/pvc-uid-data}}
        nfs      | server: big, share: /        | {nfs: {server: big, path: /pvc-uid-data}}
        block    | ''                           | {csi: {driver: block.mooring.dev, volumeHandle: UID, fsType: ext4, volumeAttributes: {image: /data/block/pvc-uid-data.img}}}
        block    | basePath: /srv, fsType: xfs  | {csi: {driver: block.mooring.dev, volumeHandle: UID, fsType: xfs, volumeAttributes: {image: /srv/pvc-uid-data.img}}}
        """)
    void report_expectedSource_isAccepted(String provisioner, String parameters, String source) {
        String status = "{state: Succeeded, capacity: 1Gi, source: " + source.replace("UID", UID) + "}";
        ControllerFixture run = run(annotatedBase("mooring.dev/volume-base.hostpath: /data/hostpath,"
                        + " mooring.dev/volume-base.local: /data/local, mooring.dev/volume-base.block: /data/block")
                + claim("")
                + reported(provisioner, parameters, status));

        assertThat(run.takeEvents()).containsExactly("VolumeProvisioned " + VOLUME);
    }

    @Test
    void report_capacityBelowRequest_isRefused() {
        String status =
                "{state: Succeeded, capacity: 5Mi, source: {hostPath: {path: /srv/pvc-uid-data, type: Directory}}}";
        ControllerFixture run = run(BASE + claim("") + reported("hostpath", "basePath: /srv", status));

        assertThat(run.takeEvents()).startsWith("ProvisioningRefused " + OPERATION);
        assertThat(events(run).get(0)).contains("a capacity of 5Mi, less than the requested 1Gi");
    }

    @ParameterizedTest
    @CsvSource({"n2, host-1", "host-1, other"})
    void report_hostnameLabelUsedByAnotherNode_isRefused(String name, String label) {
        String status = "{state: Succeeded, source: {hostPath: {path: /srv/pvc-uid-data, type: Directory}}}";
        ControllerFixture run = run(BASE
                + "---\n{kind: Node, metadata: {name: " + name + ", labels: {kubernetes.io/hostname: " + label + "}}}\n"
                + claim("")
                + reported("hostpath", "basePath: /srv", status));

        assertThat(run.takeEvents()).startsWith("ProvisioningRefused " + OPERATION);
        assertThat(events(run).get(0)).contains("kubernetes.io/hostname=host-1 of node \"" + name + '"');
    }

    @Test
    void report_nodeHasNoBaseAnnotation_waitsForIt() {
        String status = "{state: Succeeded, source: {hostPath: {path: /srv/pvc-uid-data, type: Directory}}}";
        ControllerFixture run = run(BASE + claim("") + reported("hostpath", "", status));
        assertThat(run.takeEvents()).doesNotContain("ProvisioningRefused " + OPERATION);
        assertThat(events(run))
                .singleElement()
                .asString()
                .contains("its Node has no annotation mooring.dev/volume-base.hostpath");

        run.put("{kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: host-1}, annotations:"
                        + " {mooring.dev/volume-base.hostpath: /srv}}}")
                .settle();
        assertThat(run.takeEvents()).contains("VolumeProvisioned " + VOLUME);
    }

    @Test
    void report_unexpectedSourceAndClaimGone_isNotDeleted() {
        String status = "{state: Succeeded, source: {hostPath: {path: /etc, type: Directory}}}";
        ControllerFixture run = run(BASE + reported("hostpath", "basePath: /srv", status));

        assertThat(run.takeEvents()).containsExactly("ProvisioningAbandoned " + OPERATION);
        assertThat(WorldFixture.tree(run.world(), OPERATION).path("spec").has("source"))
                .isFalse();
    }

    @Test
    void report_withMessage_isPartOfTheEvent() {
        String status = "{state: Succeeded, source: {hostPath: {path: /srv/pvc-uid-data, type: Directory}},"
                + " message: 'adopted the retained data at /srv/pvc-uid-data of the former claim default/data'}";
        ControllerFixture run = run(BASE + claim("") + reported("hostpath", "basePath: /srv", status));

        assertThat(events(run))
                .containsExactly("Normal ProvisioningSucceeded: Successfully provisioned volume pvc-uid-data using"
                        + " mooring.dev/hostpath; adopted the retained data at /srv/pvc-uid-data of the former claim"
                        + " default/data");
    }
}
