package dev.mooring.api.types;

/** Volumes, claims, classes and attachments, in the format of {@link MessageDescriptors#parse}. */
final class VolumeMessages {
    static final String TABLE = """
        PersistentVolume: 1 metadata ObjectMeta, 2 spec PersistentVolumeSpec, 3 status PersistentVolumeStatus
        PersistentVolumeSpec: 1 capacity {quantity}, 2 persistentVolumeSource <PersistentVolumeSource>,
            3 accessModes [string], 4 claimRef ObjectReference?, 5 persistentVolumeReclaimPolicy string,
            6 storageClassName string, 7 mountOptions [string], 8 volumeMode string?,
            9 nodeAffinity VolumeNodeAffinity?, 10 volumeAttributesClassName string?
        PersistentVolumeSource: 1 gcePersistentDisk GCEPersistentDiskVolumeSource?,
            2 awsElasticBlockStore AWSElasticBlockStoreVolumeSource?, 3 hostPath HostPathVolumeSource?,
            4 glusterfs GlusterfsPersistentVolumeSource?, 5 nfs NFSVolumeSource?, 6 rbd RBDPersistentVolumeSource?,
            7 iscsi ISCSIPersistentVolumeSource?, 8 cinder CinderPersistentVolumeSource?,
            9 cephfs CephFSPersistentVolumeSource?, 10 fc FCVolumeSource?, 11 flocker FlockerVolumeSource?,
            12 flexVolume FlexPersistentVolumeSource?, 13 azureFile AzureFilePersistentVolumeSource?,
            14 vsphereVolume VsphereVirtualDiskVolumeSource?, 15 quobyte QuobyteVolumeSource?,
            16 azureDisk AzureDiskVolumeSource?, 17 photonPersistentDisk PhotonPersistentDiskVolumeSource?,
            18 portworxVolume PortworxVolumeSource?, 19 scaleIO ScaleIOPersistentVolumeSource?,
            20 local LocalVolumeSource?, 21 storageos StorageOSPersistentVolumeSource?,
            22 csi CSIPersistentVolumeSource?
        GCEPersistentDiskVolumeSource: 1 pdName string, 2 fsType string, 3 partition int32, 4 readOnly bool
        AWSElasticBlockStoreVolumeSource: 1 volumeID string, 2 fsType string, 3 partition int32, 4 readOnly bool
        HostPathVolumeSource: 1 path string, 2 type string?
        GlusterfsPersistentVolumeSource: 1 endpoints string, 2 path string, 3 readOnly bool,
            4 endpointsNamespace string?
        NFSVolumeSource: 1 server string, 2 path string, 3 readOnly bool
        RBDPersistentVolumeSource: 1 monitors [string], 2 image string, 3 fsType string, 4 pool string, 5 user string,
            6 keyring string, 7 secretRef SecretReference?, 8 readOnly bool
        SecretReference: 1 name string, 2 namespace string
        ISCSIPersistentVolumeSource: 1 targetPortal string, 2 iqn string, 3 lun int32, 4 iscsiInterface string,
            5 fsType string, 6 readOnly bool, 7 portals [string], 8 chapAuthDiscovery bool,
            10 secretRef SecretReference?, 11 chapAuthSession bool, 12 initiatorName string?
        CinderPersistentVolumeSource: 1 volumeID string, 2 fsType string, 3 readOnly bool, 4 secretRef SecretReference?
        CephFSPersistentVolumeSource: 1 monitors [string], 2 path string, 3 user string, 4 secretFile string,
            5 secretRef SecretReference?, 6 readOnly bool
        FCVolumeSource: 1 targetWWNs [string], 2 lun int32?, 3 fsType string, 4 readOnly bool, 5 wwids [string]
        FlockerVolumeSource: 1 datasetName string, 2 datasetUUID string
        FlexPersistentVolumeSource: 1 driver string, 2 fsType string, 3 secretRef SecretReference?, 4 readOnly bool,
            5 options {string}
        AzureFilePersistentVolumeSource: 1 secretName string, 2 shareName string, 3 readOnly bool,
            4 secretNamespace string?
        VsphereVirtualDiskVolumeSource: 1 volumePath string, 2 fsType string, 3 storagePolicyName string,
            4 storagePolicyID string
        QuobyteVolumeSource: 1 registry string, 2 volume string, 3 readOnly bool, 4 user string, 5 group string,
            6 tenant string
        AzureDiskVolumeSource: 1 diskName string, 2 diskURI string, 3 cachingMode string?, 4 fsType string?,
            5 readOnly bool?, 6 kind string?
        PhotonPersistentDiskVolumeSource: 1 pdID string, 2 fsType string
        PortworxVolumeSource: 1 volumeID string, 2 fsType string, 3 readOnly bool
        ScaleIOPersistentVolumeSource: 1 gateway string, 2 system string, 3 secretRef SecretReference?,
            4 sslEnabled bool, 5 protectionDomain string, 6 storagePool string, 7 storageMode string,
            8 volumeName string, 9 fsType string, 10 readOnly bool
        LocalVolumeSource: 1 path string, 2 fsType string?
        StorageOSPersistentVolumeSource: 1 volumeName string, 2 volumeNamespace string, 3 fsType string,
            4 readOnly bool, 5 secretRef ObjectReference?
        CSIPersistentVolumeSource: 1 driver string, 2 volumeHandle string, 3 readOnly bool, 4 fsType string,
            5 volumeAttributes {string}, 6 controllerPublishSecretRef SecretReference?,
            7 nodeStageSecretRef SecretReference?, 8 nodePublishSecretRef SecretReference?,
            9 controllerExpandSecretRef SecretReference?, 10 nodeExpandSecretRef SecretReference?
        VolumeNodeAffinity: 1 required NodeSelector?
        NodeSelector: 1 nodeSelectorTerms [NodeSelectorTerm]
        NodeSelectorTerm: 1 matchExpressions [NodeSelectorRequirement], 2 matchFields [NodeSelectorRequirement]
        NodeSelectorRequirement: 1 key string, 2 operator string, 3 values [string]
        PersistentVolumeStatus: 1 phase string, 2 message string, 3 reason string, 4 lastPhaseTransitionTime time?
        PersistentVolumeClaim: 1 metadata ObjectMeta, 2 spec PersistentVolumeClaimSpec,
            3 status PersistentVolumeClaimStatus
        PersistentVolumeClaimSpec: 1 accessModes [string], 2 resources VolumeResourceRequirements, 3 volumeName string,
            4 selector LabelSelector?, 5 storageClassName string?, 6 volumeMode string?,
            7 dataSource TypedLocalObjectReference?, 8 dataSourceRef TypedObjectReference?,
            9 volumeAttributesClassName string?
        VolumeResourceRequirements: 1 limits {quantity}, 2 requests {quantity}
        TypedLocalObjectReference: 1 apiGroup string?, 2 kind string, 3 name string
        TypedObjectReference: 1 apiGroup string?, 2 kind string, 3 name string, 4 namespace string?
        PersistentVolumeClaimStatus: 1 phase string, 2 accessModes [string], 3 capacity {quantity},
            4 conditions [PersistentVolumeClaimCondition], 5 allocatedResources {quantity},
            7 allocatedResourceStatuses {string}, 8 currentVolumeAttributesClassName string?,
            9 modifyVolumeStatus ModifyVolumeStatus?
        PersistentVolumeClaimCondition: 1 type string, 2 status string, 3 lastProbeTime time, 4 lastTransitionTime time,
            5 reason string, 6 message string
        ModifyVolumeStatus: 1 targetVolumeAttributesClassName string, 2 status string
        StorageClass: 1 metadata ObjectMeta, 2 provisioner string, 3 parameters {string}, 4 reclaimPolicy string?,
            5 mountOptions [string], 6 allowVolumeExpansion bool?, 7 volumeBindingMode string?,
            8 allowedTopologies [TopologySelectorTerm]
        TopologySelectorTerm: 1 matchLabelExpressions [TopologySelectorLabelRequirement]
        TopologySelectorLabelRequirement: 1 key string, 2 values [string]
        VolumeAttachment: 1 metadata ObjectMeta, 2 spec VolumeAttachmentSpec, 3 status VolumeAttachmentStatus
        VolumeAttachmentSpec: 1 attacher string, 2 source VolumeAttachmentSource, 3 nodeName string
        VolumeAttachmentSource: 1 persistentVolumeName string?, 2 inlineVolumeSpec PersistentVolumeSpec?
        VolumeAttachmentStatus: 1 attached bool, 2 attachmentMetadata {string}, 3 attachError VolumeError?,
            4 detachError VolumeError?
        VolumeError: 1 time time, 2 message string, 3 errorCode int32?
        """;

    private VolumeMessages() {}
}
