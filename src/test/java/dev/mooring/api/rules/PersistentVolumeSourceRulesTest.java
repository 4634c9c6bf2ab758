package dev.mooring.api.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class PersistentVolumeSourceRulesTest {
    @TestFactory
    Stream<DynamicTest> validate_supportedSource_reportsViolations() {
        return sources("""
            hostPath: {path: /a}                              => ok
            hostPath: {path: /a, type: DirectoryOrCreate}     => ok
            hostPath: {path: a..b}                            => ok
            hostPath: {}                                      => spec.hostPath.path: Required value
            hostPath: {path: /a/../b}                         => spec.hostPath.path: Invalid value: "/a/../b": must not contain '..'
            hostPath: {path: /a, type: Disk}                  => spec.hostPath.type: Unsupported value: "Disk": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"
            local: {path: /a}                                 => spec.nodeAffinity: Required value: Local volume requires node affinity
            {local: {path: /a}, nodeAffinity: {}}             => ok
            {local: {}, nodeAffinity: {}}                     => spec.local.path: Required value
            {local: {path: ..}, nodeAffinity: {}}             => spec.local.path: Invalid value: "..": must not contain '..'
            nfs: {server: nas, path: /a}                      => ok
            nfs: {path: /a}                                   => spec.nfs.server: Required value
            nfs: {server: nas}                                => [spec.nfs.path: Required value, spec.nfs.path: Invalid value: "": must be an absolute path]
            nfs: {server: nas, path: a}                       => spec.nfs.path: Invalid value: "a": must be an absolute path
            csi: {driver: Disk.example.com, volumeHandle: v}  => ok
            csi: {driver: d}                                  => spec.csi.volumeHandle: Required value
            csi: {driver: d_e, volumeHandle: v}               => spec.csi.driver: Invalid value: "d_e": a lowercase RFC 1123 subdomain must consist of…
            csi: {volumeHandle: v}                            => [spec.csi.driver: Required value, spec.csi.driver: Invalid value: "": a lowercase…
            csi: {driver: d, volumeHandle: v, nodePublishSecretRef: {name: n, namespace: s}} => ok
            csi: {driver: d, volumeHandle: v, nodePublishSecretRef: {}} => [spec.csi.nodePublishSecretRef.name: Required value, spec.csi.nodePublishSecretRef.namespace: Required value]
            csi: {driver: d, volumeHandle: v, nodeExpandSecretRef: {name: N, namespace: s}} => spec.csi.nodeExpandSecretRef.name: Invalid value: "N": a lowercase RFC 1123 subdomain…
            csi: {driver: d, volumeHandle: v, controllerExpandSecretRef: {name: n, namespace: s.t}} => spec.csi.controllerExpandSecretRef.namespace: Invalid value: "s.t": must not contain dots
            iscsi: {targetPortal: 10.0.0.1, iqn: "iqn.2015-02.example.com:test", lun: 0} => ok
            iscsi: {targetPortal: 10.0.0.1, iqn: "eui.0123456789ABCDEF", lun: 255} => ok
            iscsi: {}                                         => [spec.iscsi.targetPortal: Required value, spec.iscsi.iqn: Required value]
            iscsi: {targetPortal: p, iqn: disk}               => spec.iscsi.iqn: Invalid value: "disk": must be valid format
            iscsi: {targetPortal: p, iqn: iqn.x}              => spec.iscsi.iqn: Invalid value: "iqn.x": must be valid format
            iscsi: {targetPortal: p, iqn: "eui.0123456789ABCDEF", lun: 256} => spec.iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive
            iscsi: {targetPortal: p, iqn: "eui.0123456789ABCDEF", chapAuthSession: true} => spec.iscsi.secretRef: Required value
            iscsi: {targetPortal: p, iqn: "eui.0123456789ABCDEF", chapAuthSession: true, secretRef: {}} => spec.iscsi.secretRef.name: Required value
            iscsi: {targetPortal: p, iqn: "eui.0123456789ABCDEF", initiatorName: me} => spec.iscsi.initiatorname: Invalid value: "me": must be valid format
            iscsi: {targetPortal: 0123456789012345678901234567890123456789012345678901234567890123, iqn: "eui.0123456789ABCDEF", initiatorName: "eui.0123456789ABCDEF"} => spec.iscsi.targetportal: Invalid value: "0123456789012345678901234567890123456789012345678901234567890123": Total length of…
            fc: {targetWWNs: [a], lun: 2}                     => ok
            fc: {wwids: [a]}                                  => ok
            fc: {}                                            => spec.fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both
            fc: {targetWWNs: [a]}                             => spec.fc.lun: Required value: lun is required if targetWWNs is specified
            fc: {targetWWNs: [a], lun: 256}                   => spec.fc.lun: Invalid value: 256: must be between 0 and 255, inclusive
            fc: {targetWWNs: [a], wwids: [b], lun: 1}         => spec.fc.targetWWNs: Invalid value: ["a"]: targetWWNs and wwids can not be specified simultaneously
            """);
    }

    @TestFactory
    Stream<DynamicTest> validate_storedOnlySource_reportsViolations() {
        return sources("""
            gcePersistentDisk: {pdName: a}                    => ok
            gcePersistentDisk: {partition: 256}               => [spec.gcePersistentDisk.pdName: Required value, spec.gcePersistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive]
            awsElasticBlockStore: {volumeID: a}               => ok
            awsElasticBlockStore: {}                          => spec.awsElasticBlockStore.volumeID: Required value
            glusterfs: {endpoints: a, path: b}                => ok
            glusterfs: {}                                     => [spec.glusterfs.endpoints: Required value, spec.glusterfs.path: Required value]
            glusterfs: {endpoints: a, path: b, endpointsNamespace: ""} => spec.glusterfs.endpointsNamespace: Invalid value: "": if the endpointnamespace is set, it must be a valid namespace name
            glusterfs: {endpoints: a, path: b, endpointsNamespace: a.b} => spec.glusterfs.endpointsNamespace: Invalid value: "a.b": must not contain dots
            flocker: {datasetName: a}                         => ok
            flocker: {}                                       => spec.flocker: Required value: one of datasetName and datasetUUID is required
            flocker: {datasetName: a, datasetUUID: b}         => spec.flocker: Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously
            flocker: {datasetName: a/b}                       => spec.flocker.datasetName: Invalid value: "a/b": must not contain '/'
            rbd: {monitors: [a], image: b}                    => ok
            rbd: {monitors: []}                               => [spec.rbd.monitors: Required value, spec.rbd.image: Required value]
            quobyte: {registry: "a:1,b:2", volume: v}         => ok
            quobyte: {}                                       => [spec.quobyte.registry: Required value: must be a host:port pair or multiple pairs separated by commas, spec.quobyte.volume: Required value]
            quobyte: {registry: a, volume: v}                 => spec.quobyte.registry: Invalid value: "a": must be a host:port pair or multiple pairs separated by commas
            cephfs: {monitors: [a]}                           => ok
            cephfs: {}                                        => spec.cephfs.monitors: Required value
            cinder: {volumeID: a}                             => ok
            cinder: {secretRef: {}}                           => [spec.cinder.volumeID: Required value, spec.cinder.secretRef.name: Required value, spec.cinder.secretRef.namespace: Required value]
            flexVolume: {driver: a/b, options: {x: y}}        => ok
            flexVolume: {}                                    => spec.flexVolume.driver: Required value
            flexVolume: {driver: a/b, options: {fs.Kubernetes.io/x: y}} => spec.flexVolume.options[fs.Kubernetes.io/x]: Invalid value: "fs.Kubernetes.io/x": kubernetes.io and k8s.io namespaces are reserved
            azureFile: {secretName: a, shareName: b}          => ok
            azureFile: {secretNamespace: ""}                  => [spec.azureFile.secretName: Required value, spec.azureFile.shareName: Required value, spec.azureFile.secretNamespace: Required value]
            vsphereVolume: {volumePath: a}                    => ok
            vsphereVolume: {}                                 => spec.vsphereVolume.volumePath: Required value
            photonPersistentDisk: {pdID: a}                   => ok
            photonPersistentDisk: {}                          => spec.photonPersistentDisk.pdID: Required value
            portworxVolume: {volumeID: a}                     => ok
            portworxVolume: {}                                => spec.portworxVolume.volumeID: Required value
            azureDisk: {diskName: a, diskURI: "https://b"}    => ok
            azureDisk: {diskName: a, diskURI: "https://b", kind: Managed} => spec.azureDisk.diskURI: Unsupported value: "https://b": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
            azureDisk: {diskName: a, diskURI: "https://b", cachingMode: Some} => spec.azureDisk.cachingMode: Unsupported value: "Some": supported values: "None", "ReadOnly", "ReadWrite"
            scaleIO: {gateway: a, system: b, volumeName: c}   => ok
            scaleIO: {}                                       => [spec.scaleIO.gateway: Required value, spec.scaleIO.system: Required value, spec.scaleIO.volumeName: Required value]
            storageos: {volumeName: a}                        => ok
            storageos: {volumeName: A, volumeNamespace: b.c}  => [spec.storageos.volumeName: Invalid value: "A": a lowercase RFC 1123 label…
            {}                                                => spec: Required value: must specify a volume type
            {nfs: {server: nas, path: /a}, csi: {}}           => spec.csi: Forbidden: may not specify more than 1 volume type
            """);
    }

    private static Stream<DynamicTest> sources(String table) {
        return RuleCases.cases(table, spec -> {
            Violations violations = new Violations();
            PersistentVolumeSourceRules.validate(RuleCases.object(spec), "spec", "pv1", violations);
            return violations;
        });
    }

    @Test
    void applyDefaults_sources_setsDefaults() {
        var spec = RuleCases.object("{rbd: {user: me}, iscsi: {}, scaleIO: {}, azureDisk: {kind: Managed}}");
        PersistentVolumeRules.VolumeSourceDefaults.apply(spec);

        assertThat(spec).isEqualTo(RuleCases.object("""
            rbd: {user: me, pool: rbd, keyring: /etc/ceph/keyring}
            iscsi: {iscsiInterface: default}
            scaleIO: {storageMode: ThinProvisioned, fsType: xfs}
            azureDisk: {kind: Managed, cachingMode: ReadWrite, fsType: ext4, readOnly: false}
            """));
    }
}
