package dev.mooring.api.table;

import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class StorageColumnsTest {

    @TestFactory
    List<DynamicTest> rows_ofVolumes_haveExpectedCells() {
        return RowCases.tests(Columns.PERSISTENT_VOLUME, """
            a volume that is free
            {metadata: {name: 'pv1', creationTimestamp: '2026-03-01T11:00:00Z'},
             spec: {accessModes: ['ReadOnlyMany'], capacity: {storage: '4Gi'}, volumeMode: 'Filesystem'}, status: {phase: 'Available'}}
            → pv1 | 4Gi | ROX |  | Available |  |  | <unset> |  | 60m | Filesystem

            a bound volume with everything
            {metadata: {name: 'pv2', creationTimestamp: '2026-02-01T12:00:00Z'},
             spec: {accessModes: ['ReadWriteOncePod', 'ReadWriteMany', 'ReadOnlyMany', 'ReadWriteOnce', 'ReadWriteMany'],
              capacity: {storage: '1Gi'}, volumeMode: 'Block', persistentVolumeReclaimPolicy: 'Retain', storageClassName: 'slow',
              volumeAttributesClassName: 'gold', claimRef: {namespace: 'team', name: 'data'}},
             status: {phase: 'Bound'}}
            → pv2 | 1Gi | RWO,ROX,RWX,RWOP | Retain | Bound | team/data | slow | gold |  | 28d | Block

            a volume being deleted
            {metadata: {name: 'pv3', deletionTimestamp: '2026-03-01T11:00:00Z'},
             spec: {accessModes: ['ReadWriteOnce'], capacity: {storage: 5}}, status: {phase: 'Released'}}
            → pv3 | 5 | RWO |  | Terminating |  |  | <unset> |  | <unknown> | <unset>

            a failed volume whose class is in the beta annotation
            {metadata: {name: 'pv4', annotations: {'volume.beta.kubernetes.io/storage-class': 'old'}},
             spec: {storageClassName: 'new'}, status: {phase: 'Failed', reason: 'RecycleFailed'}}
            → pv4 | 0 |  |  | Failed |  | old | <unset> | RecycleFailed | <unknown> | <unset>

            a volume with an empty attributes class and an unknown access mode
            {metadata: {name: 'pv5'}, spec: {volumeAttributesClassName: '', accessModes: ['Odd']}}
            → pv5 | 0 |  |  |  |  |  |  |  | <unknown> | <unset>
            """);
    }

    @TestFactory
    List<DynamicTest> rows_ofClaims_haveExpectedCells() {
        return RowCases.tests(Columns.PERSISTENT_VOLUME_CLAIM, """
            a bound claim
            {metadata: {name: 'data', creationTimestamp: '2026-03-01T11:59:00Z'},
             spec: {volumeName: 'pv1', storageClassName: 'slow', volumeMode: 'Filesystem', accessModes: ['ReadWriteMany']},
             status: {phase: 'Bound', accessModes: ['ReadWriteOnce', 'ReadOnlyMany'], capacity: {storage: '1Gi'}}}
            → data | Bound | pv1 | 1Gi | RWO,ROX | slow | <unset> | 60s | Filesystem

            a waiting claim shows neither capacity nor modes
            {metadata: {name: 'data'}, spec: {accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '5Gi'}}},
             status: {phase: 'Pending', accessModes: ['ReadWriteOnce'], capacity: {storage: '10Gi'}}}
            → data | Pending |  |  |  |  | <unset> | <unknown> | <unset>

            a claim that names a volume but is not bound has capacity 0
            {metadata: {name: 'data'}, spec: {volumeName: 'pv1', storageClassName: ''}, status: {phase: 'Pending'}}
            → data | Pending | pv1 | 0 |  |  | <unset> | <unknown> | <unset>

            a lost claim being deleted
            {metadata: {name: 'data', deletionTimestamp: '2026-03-01T11:59:00Z'},
             spec: {volumeAttributesClassName: 'gold', volumeMode: 'Block'}, status: {phase: 'Lost'}}
            → data | Terminating |  |  |  |  | gold | <unknown> | Block

            the old annotation wins even if empty
            {metadata: {name: 'data', annotations: {'volume.beta.kubernetes.io/storage-class': ''}},
             spec: {storageClassName: 'new'}, status: {phase: 'Pending'}}
            → data | Pending |  |  |  |  | <unset> | <unknown> | <unset>
            """);
    }

    @TestFactory
    List<DynamicTest> rows_ofStorageClasses_haveExpectedCells() {
        return RowCases.tests(Columns.STORAGE_CLASS, """
            defaults for omitted fields
            {metadata: {name: 'sc1', creationTimestamp: '2026-03-01T11:55:00Z'}, provisioner: 'kubernetes.io/glusterfs'}
            → sc1 | kubernetes.io/glusterfs | Delete | Immediate | false | 5m

            the default class, with all fields set
            {metadata: {name: 'sc2', annotations: {'storageclass.kubernetes.io/is-default-class': 'true'}},
             provisioner: 'kubernetes.io/nfs', reclaimPolicy: 'Retain', volumeBindingMode: 'WaitForFirstConsumer',
             allowVolumeExpansion: true}
            → sc2 (default) | kubernetes.io/nfs | Retain | WaitForFirstConsumer | true | <unknown>

            the default class by the old annotation
            {metadata: {name: 'sc3', annotations: {'storageclass.beta.kubernetes.io/is-default-class': 'true'}}, provisioner: 'x/y'}
            → sc3 (default) | x/y | Delete | Immediate | false | <unknown>

            an annotation with value false
            {metadata: {name: 'sc4', annotations: {'storageclass.kubernetes.io/is-default-class': 'false'}}, provisioner: 'x/y'}
            → sc4 | x/y | Delete | Immediate | false | <unknown>
            """);
    }

    @TestFactory
    List<DynamicTest> rows_ofAttachments_haveExpectedCells() {
        return RowCases.tests(Columns.VOLUME_ATTACHMENT, """
            attached
            {metadata: {name: 'va1', creationTimestamp: '2026-03-01T08:00:00Z'},
             spec: {attacher: 'fake', source: {persistentVolumeName: 'pv1'}, nodeName: 'node-1'}, status: {attached: true}}
            → va1 | fake | pv1 | node-1 | true | 4h

            not attached, without status
            {metadata: {name: 'va2'}, spec: {attacher: 'fake', source: {}, nodeName: 'node-1'}}
            → va2 | fake |  | node-1 | false | <unknown>
            """);
    }
}
