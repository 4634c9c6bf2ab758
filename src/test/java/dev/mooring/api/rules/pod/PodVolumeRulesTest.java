package dev.mooring.api.rules.pod;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class PodVolumeRulesTest {
    private static final String LABEL =
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and"
                    + " end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is"
                    + " '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

    @TestFactory
    Stream<DynamicTest> volumes_nameAndSource_mustBeUniqueAndSingle() {
        return PodRuleCases.validated("""
            spec {volumes: [{name: a, emptyDir: {}}, {name: b, hostPath: {path: /b}}]}
            => ok

            spec {volumes: [{name: a}]}
            => ok

            spec {volumes: [{emptyDir: {}}]}
            => spec.volumes[0].name: Required value

            spec {volumes: [{name: A_b, emptyDir: {}}]}
            => spec.volumes[0].name: Invalid value: "A_b": %s

            spec {volumes: [{name: a.b, emptyDir: {}}]}
            => spec.volumes[0].name: Invalid value: "a.b": must not contain dots

            spec {volumes: [{name: a, emptyDir: {}}, {name: a, emptyDir: {}}]}
            => spec.volumes[1].name: Duplicate value: "a"

            spec {volumes: [{name: a, hostPath: {path: /a}, configMap: {name: x}}]}
            => spec.volumes[0].configMap: Forbidden: may not specify more than 1 volume type

            spec {volumes: [{name: a, emptyDir: {}, persistentVolumeClaim: {claimName: x}}]}
            => spec.volumes[0].persistentVolumeClaim: Forbidden: may not specify more than 1 volume type

            spec {volumes: [{name: a, emptyDir: {}, nfs: {}, csi: {}}]}
            => spec.volumes[0].nfs: Forbidden: may not specify more than 1 volume type
            => spec.volumes[0].csi: Forbidden: may not specify more than 1 volume type
            """.formatted(LABEL));
    }

    @TestFactory
    Stream<DynamicTest> volumes_nodeLocalSources_areChecked() {
        return PodRuleCases.validated("""
            spec {volumes: [{name: a, emptyDir: {medium: Memory, sizeLimit: 8Mi}}]}
            => ok

            spec {volumes: [{name: a, emptyDir: {sizeLimit: -1}}]}
            => spec.volumes[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity

            spec {volumes: [{name: a, hostPath: {path: /a, type: DirectoryOrCreate}}]}
            => ok

            spec {volumes: [{name: a, hostPath: {}}]}
            => spec.volumes[0].hostPath.path: Required value

            spec {volumes: [{name: a, hostPath: {path: /a/../b}}]}
            => spec.volumes[0].hostPath.path: Invalid value: "/a/../b": must not contain '..'

            spec {volumes: [{name: a, hostPath: {path: /a..b/..c}}]}
            => ok

            spec {volumes: [{name: a, hostPath: {path: /a, type: Folder}}]}
            => spec.volumes[0].hostPath.type: Unsupported value: "Folder": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"

            spec {volumes: [{name: a, gitRepo: {repository: x, directory: d}}]}
            => ok

            spec {volumes: [{name: a, gitRepo: {directory: ../d}}]}
            => spec.volumes[0].gitRepo.repository: Required value
            => spec.volumes[0].gitRepo.directory: Invalid value: "../d": must not contain '..'

            spec {volumes: [{name: a, image: {reference: busybox}}]}
            => ok

            spec {volumes: [{name: a, image: {}}]}
            => spec.volumes[0].image.reference: Required value

            spec {volumes: [{name: a, image: {reference: busybox, pullPolicy: Sometimes}}]}
            => spec.volumes[0].image.pullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"
            """);
    }

    @TestFactory
    Stream<DynamicTest> volumes_claims_areChecked() {
        return PodRuleCases.validated("""
            spec {volumes: [{name: a, persistentVolumeClaim: {claimName: x, readOnly: true}}]}
            => ok

            spec {volumes: [{name: a, persistentVolumeClaim: {}}]}
            => spec.volumes[0].persistentVolumeClaim.claimName: Required value

            spec {volumes: [{name: a, ephemeral: {volumeClaimTemplate: {metadata: {labels: {x: y}}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]}
            => ok

            spec {volumes: [{name: a, ephemeral: {}}]}
            => spec.volumes[0].ephemeral.volumeClaimTemplate: Required value

            spec {volumes: [{name: a, ephemeral: {volumeClaimTemplate: {}}}]}
            => spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Required value: at least 1 access mode is required
            => spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value

            spec {volumes: [{name: a, ephemeral: {volumeClaimTemplate: {metadata: {name: x}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]}
            => spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set

            spec {volumes: [{name: a, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}, {name: b, persistentVolumeClaim: {claimName: app-a}}]}
            => spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "app-a": must not reference a PVC that gets created for an ephemeral volume
            """);
    }

    @TestFactory
    Stream<DynamicTest> volumes_itemsOfObjects_stayInsideVolume() {
        return PodRuleCases.validated("""
            spec {volumes: [{name: a, configMap: {name: x, defaultMode: 511, items: [{key: k, path: d/f, mode: 0}]}}]}
            => ok

            spec {volumes: [{name: a, configMap: {defaultMode: 512}}]}
            => spec.volumes[0].configMap.name: Required value
            => spec.volumes[0].configMap.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive

            spec {volumes: [{name: a, configMap: {name: x, items: [{path: f, mode: -1}]}}]}
            => spec.volumes[0].configMap.items[0].key: Required value
            => spec.volumes[0].configMap.items[0].mode: Invalid value: -1: must be a number between 0 and 0777 (octal), both inclusive

            spec {volumes: [{name: a, configMap: {name: x, items: [{key: k}]}}]}
            => spec.volumes[0].configMap.items[0].path: Required value

            spec {volumes: [{name: a, configMap: {name: x, items: [{key: k, path: /f}, {key: k, path: a/../f}, {key: k, path: ..data}]}}]}
            => spec.volumes[0].configMap.items[0].path: Invalid value: "/f": must be a relative path
            => spec.volumes[0].configMap.items[1].path: Invalid value: "a/../f": must not contain '..'
            => spec.volumes[0].configMap.items[2].path: Invalid value: "..data": must not start with '..'

            spec {volumes: [{name: a, secret: {secretName: x}}]}
            => ok

            spec {volumes: [{name: a, secret: {items: [{key: k, path: ../f}]}}]}
            => spec.volumes[0].secret.secretName: Required value
            => spec.volumes[0].secret.items[0].path: Invalid value: "../f": must not contain '..'

            spec {volumes: [{name: a, downwardAPI: {items: [{path: l, fieldRef: {fieldPath: metadata.labels}}, {path: n, fieldRef: {fieldPath: "metadata.annotations['x/y']"}}, {path: m, resourceFieldRef: {containerName: c, resource: limits.memory, divisor: 1Mi}}]}}]}
            => ok

            spec {volumes: [{name: a, downwardAPI: {items: [{path: n, fieldRef: {fieldPath: status.podIP}}]}}]}
            => spec.volumes[0].downwardAPI.fieldRef.fieldPath: Unsupported value: "status.podIP": supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"

            spec {volumes: [{name: a, downwardAPI: {items: [{path: n}]}}]}
            => spec.volumes[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required

            spec {volumes: [{name: a, downwardAPI: {items: [{path: n, fieldRef: {fieldPath: metadata.name}, resourceFieldRef: {}}]}}]}
            => spec.volumes[0].downwardAPI: Invalid value: "resource": fieldRef and resourceFieldRef can not be specified simultaneously

            spec {volumes: [{name: a, downwardAPI: {items: [{path: n, resourceFieldRef: {resource: limits.cpu}}]}}]}
            => spec.volumes[0].downwardAPI.resourceFieldRef.containerName: Required value
            """);
    }

    @TestFactory
    Stream<DynamicTest> volumes_projectedSources_mustNotConflict() {
        return PodRuleCases.validated("""
            spec {volumes: [{name: a, projected: {sources: [{configMap: {name: x, items: [{key: k, path: f}]}}, {secret: {name: y, items: [{key: k, path: g}]}}, {downwardAPI: {items: [{path: h, fieldRef: {fieldPath: metadata.name}}]}}, {serviceAccountToken: {path: t}}]}}]}
            => ok

            spec {volumes: [{name: a, projected: {defaultMode: 999, sources: [{configMap: {}}]}}]}
            => spec.volumes[0].projected.defaultMode: Invalid value: 999: must be a number between 0 and 0777 (octal), both inclusive
            => spec.volumes[0].projected.sources[0].configMap.name: Required value

            spec {volumes: [{name: a, projected: {sources: [{configMap: {name: x, items: [{key: k, path: f}]}}, {secret: {name: y, items: [{key: k, path: f}]}}]}}]}
            => spec.volumes[0].projected: Invalid value: "y": conflicting duplicate paths

            spec {volumes: [{name: a, projected: {sources: [{configMap: {name: x}, secret: {name: y}}]}}]}
            => spec.volumes[0].projected.sources[0]: Forbidden: may not specify more than 1 volume type per source

            spec {volumes: [{name: a, projected: {sources: [{serviceAccountToken: {expirationSeconds: 5}}]}}]}
            => spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes
            => spec.volumes[0].projected.path: Required value

            spec {volumes: [{name: a, projected: {sources: [{serviceAccountToken: {expirationSeconds: 4294967297, path: t}}]}}]}
            => spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds

            spec {volumes: [{name: a, projected: {sources: [{clusterTrustBundle: {name: x, path: f}}]}}]}
            => ok

            spec {volumes: [{name: a, projected: {sources: [{clusterTrustBundle: {path: f}}]}}]}
            => spec.volumes[0].projected.sources[0].clusterTrustBundle: Required value: either name or signerName must be specified
            """);
    }

    @TestFactory
    Stream<DynamicTest> volumes_remoteSources_areChecked() {
        return PodRuleCases.validated("""
            spec {volumes: [{name: a, nfs: {server: s, path: /p}}]}
            => ok

            spec {volumes: [{name: a, nfs: {path: p}}]}
            => spec.volumes[0].nfs.server: Required value
            => spec.volumes[0].nfs.path: Invalid value: "p": must be an absolute path

            spec {volumes: [{name: a, nfs: {server: s}}]}
            => spec.volumes[0].nfs.path: Required value
            => spec.volumes[0].nfs.path: Invalid value: "": must be an absolute path

            spec {volumes: [{name: a, csi: {driver: Hostpath.csi.k8s.io, nodePublishSecretRef: {name: x}}}]}
            => ok

            spec {volumes: [{name: a, csi: {nodePublishSecretRef: {}}}]}
            => spec.volumes[0].csi.driver: Required value
            => spec.volumes[0].csi.nodePublishSecretRef.name: Required value

            spec {volumes: [{name: a, iscsi: {targetPortal: '1.2.3.4:3260', iqn: 'iqn.2001-04.com.example:storage.disk1', lun: 255}}]}
            => ok

            spec {volumes: [{name: a, iscsi: {iqn: disk1, lun: 256, chapAuthSession: true, initiatorName: eui.1}}]}
            => spec.volumes[0].iscsi.targetPortal: Required value
            => spec.volumes[0].iscsi.iqn: Invalid value: "disk1": must be valid format starting with iqn, eui, or naa
            => spec.volumes[0].iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive
            => spec.volumes[0].iscsi.secretRef: Required value
            => spec.volumes[0].iscsi.initiatorname: Invalid value: "eui.1": must be valid format

            spec {volumes: [{name: a, fc: {targetWWNs: [x], lun: 0}}]}
            => ok

            spec {volumes: [{name: a, fc: {targetWWNs: [x], wwids: [y]}}]}
            => spec.volumes[0].fc.targetWWNs: Invalid value: ["x"]: targetWWNs and wwids can not be specified simultaneously
            => spec.volumes[0].fc.lun: Required value: lun is required if targetWWNs is specified

            spec {volumes: [{name: a, fc: {}}]}
            => spec.volumes[0].fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both

            spec {volumes: [{name: a, glusterfs: {endpoints: e}}, {name: b, rbd: {}}, {name: c, cephfs: {}}]}
            => spec.volumes[0].glusterfs.path: Required value
            => spec.volumes[1].rbd.monitors: Required value
            => spec.volumes[1].rbd.image: Required value
            => spec.volumes[2].cephfs.monitors: Required value

            spec {volumes: [{name: a, flocker: {datasetName: a/b, datasetUUID: u}}, {name: b, flocker: {}}]}
            => spec.volumes[0].flocker: Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously
            => spec.volumes[0].flocker.datasetName: Invalid value: "a/b": must not contain '/'
            => spec.volumes[1].flocker: Required value: one of datasetName and datasetUUID is required

            spec {volumes: [{name: a, quobyte: {registry: 'h:1,h', volume: v}}, {name: b, quobyte: {}}]}
            => spec.volumes[0].quobyte.registry: Invalid value: "h:1,h": must be a host:port pair or multiple pairs separated by commas
            => spec.volumes[1].quobyte.registry: Required value: must be a host:port pair or multiple pairs separated by commas
            => spec.volumes[1].quobyte.volume: Required value

            spec {volumes: [{name: a, flexVolume: {driver: d, options: {x.kubernetes.io/y: z, y: z}}}]}
            => spec.volumes[0].flexVolume.options[x.kubernetes.io/y]: Invalid value: "x.kubernetes.io/y": kubernetes.io and k8s.io namespaces are reserved

            spec {volumes: [{name: a, storageos: {secretRef: {}}}, {name: b, scaleIO: {gateway: g, system: s}}]}
            => spec.volumes[0].storageos.volumeName: Required value
            => spec.volumes[0].storageos.secretRef.name: Required value
            => spec.volumes[1].scaleIO.volumeName: Required value
            """);
    }

    @TestFactory
    Stream<DynamicTest> volumes_cloudDisks_areChecked() {
        return PodRuleCases.validated("""
            spec {volumes: [{name: a, gcePersistentDisk: {pdName: p, partition: 255}}, {name: b, awsElasticBlockStore: {volumeID: v}}]}
            => ok

            spec {volumes: [{name: a, gcePersistentDisk: {partition: 256}}, {name: b, awsElasticBlockStore: {partition: -1}}]}
            => spec.volumes[0].persistentDisk.pdName: Required value
            => spec.volumes[0].persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive
            => spec.volumes[1].awsElasticBlockStore.volumeID: Required value
            => spec.volumes[1].awsElasticBlockStore.partition: Invalid value: -1: must be between 1 and 255, inclusive

            spec {volumes: [{name: a, cinder: {secretRef: {}}}, {name: b, azureFile: {}}, {name: d, vsphereVolume: {}}, {name: e, photonPersistentDisk: {}}, {name: f, portworxVolume: {}}]}
            => spec.volumes[0].cinder.volumeID: Required value
            => spec.volumes[0].cinder.secretRef.name: Required value
            => spec.volumes[1].azureFile.secretName: Required value
            => spec.volumes[1].azureFile.shareName: Required value
            => spec.volumes[2].vsphereVolume.volumePath: Required value
            => spec.volumes[3].photonPersistentDisk.pdID: Required value
            => spec.volumes[4].portworxVolume.volumeID: Required value

            spec {volumes: [{name: a, azureDisk: {diskName: d, diskURI: 'https://x', kind: Shared}}]}
            => ok

            spec {volumes: [{name: a, azureDisk: {diskName: d, diskURI: 'https://x', kind: Managed, cachingMode: Some}}]}
            => spec.volumes[0].azureDisk.cachingMode: Unsupported value: "Some": supported values: "None", "ReadOnly", "ReadWrite"
            => spec.volumes[0].azureDisk.diskURI: Unsupported value: "https://x": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
            """);
    }
}
