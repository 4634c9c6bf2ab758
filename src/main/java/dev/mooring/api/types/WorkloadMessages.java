package dev.mooring.api.types;

/** Pods, nodes and workloads, in the format of {@link MessageDescriptors#parse}. */
final class WorkloadMessages {
    static final String TABLE = """
        Job: 1 metadata ObjectMeta, 2 spec JobSpec, 3 status JobStatus
        JobSpec: 1 parallelism int32?, 2 completions int32?, 3 activeDeadlineSeconds int64?, 4 selector LabelSelector?,
            5 manualSelector bool?, 6 template PodTemplateSpec, 7 backoffLimit int32?, 8 ttlSecondsAfterFinished int32?,
            9 completionMode string?, 10 suspend bool?, 11 podFailurePolicy PodFailurePolicy?,
            12 backoffLimitPerIndex int32?, 13 maxFailedIndexes int32?, 14 podReplacementPolicy string?,
            15 managedBy string?, 16 successPolicy SuccessPolicy?
        PodFailurePolicy: 1 rules [PodFailurePolicyRule]
        PodFailurePolicyRule: 1 action string, 2 onExitCodes PodFailurePolicyOnExitCodesRequirement?,
            3 onPodConditions [PodFailurePolicyOnPodConditionsPattern]
        PodFailurePolicyOnExitCodesRequirement: 1 containerName string?, 2 operator string, 3 values [int32]
        PodFailurePolicyOnPodConditionsPattern: 1 type string, 2 status string
        SuccessPolicy: 1 rules [SuccessPolicyRule]
        SuccessPolicyRule: 1 succeededIndexes string?, 2 succeededCount int32?
        JobStatus: 1 conditions [JobCondition], 2 startTime time?, 3 completionTime time?, 4 active int32,
            5 succeeded int32, 6 failed int32, 7 completedIndexes string,
            8 uncountedTerminatedPods UncountedTerminatedPods?, 9 ready int32?, 10 failedIndexes string?,
            11 terminating int32?
        UncountedTerminatedPods: 1 succeeded [string], 2 failed [string]
        JobCondition: 1 type string, 2 status string, 3 lastProbeTime time, 4 lastTransitionTime time,
            5 reason string, 6 message string
        CronJob: 1 metadata ObjectMeta, 2 spec CronJobSpec, 3 status CronJobStatus
        CronJobSpec: 1 schedule string, 2 startingDeadlineSeconds int64?, 3 concurrencyPolicy string, 4 suspend bool?,
            5 jobTemplate JobTemplateSpec, 6 successfulJobsHistoryLimit int32?, 7 failedJobsHistoryLimit int32?,
            8 timeZone string?
        JobTemplateSpec: 1 metadata ObjectMeta, 2 spec JobSpec
        CronJobStatus: 1 active [ObjectReference], 4 lastScheduleTime time?, 5 lastSuccessfulTime time?
        PodTemplate: 1 metadata ObjectMeta, 2 template PodTemplateSpec
        ReplicationController: 1 metadata ObjectMeta, 2 spec ReplicationControllerSpec,
            3 status ReplicationControllerStatus
        ReplicationControllerSpec: 1 replicas int32?, 2 selector {string}, 3 template PodTemplateSpec?,
            4 minReadySeconds int32
        ReplicationControllerStatus: 1 replicas int32, 2 fullyLabeledReplicas int32, 3 observedGeneration int64,
            4 readyReplicas int32, 5 availableReplicas int32, 6 conditions [ReplicaSetCondition]
        Node: 1 metadata ObjectMeta, 2 spec NodeSpec, 3 status NodeStatus
        NodeSpec: 1 podCIDR string, 2 externalID string, 3 providerID string, 4 unschedulable bool, 5 taints [Taint],
            6 configSource NodeConfigSource?, 7 podCIDRs [string]
        Taint: 1 key string, 2 value string, 3 effect string, 4 timeAdded time?
        NodeConfigSource: 2 configMap ConfigMapNodeConfigSource?
        ConfigMapNodeConfigSource: 1 namespace string, 2 name string, 3 uid string, 4 resourceVersion string,
            5 kubeletConfigKey string
        NodeStatus: 1 capacity {quantity}, 2 allocatable {quantity}, 3 phase string, 4 conditions [NodeCondition],
            5 addresses [NodeAddress], 6 daemonEndpoints NodeDaemonEndpoints, 7 nodeInfo NodeSystemInfo,
            8 images [ContainerImage], 9 volumesInUse [string], 10 volumesAttached [AttachedVolume],
            11 config NodeConfigStatus?, 12 runtimeHandlers [NodeRuntimeHandler], 13 features NodeFeatures?
        NodeCondition: 1 type string, 2 status string, 3 lastHeartbeatTime time, 4 lastTransitionTime time,
            5 reason string, 6 message string
        NodeAddress: 1 type string, 2 address string
        NodeDaemonEndpoints: 1 kubeletEndpoint DaemonEndpoint
        DaemonEndpoint: 1 Port int32
        NodeSystemInfo: 1 machineID string, 2 systemUUID string, 3 bootID string, 4 kernelVersion string,
            5 osImage string, 6 containerRuntimeVersion string, 7 kubeletVersion string, 8 kubeProxyVersion string,
            9 operatingSystem string, 10 architecture string, 11 swap NodeSwapStatus?
        NodeSwapStatus: 1 capacity int64?
        ContainerImage: 1 names [string], 2 sizeBytes int64
        AttachedVolume: 1 name string, 2 devicePath string
        NodeConfigStatus: 1 assigned NodeConfigSource?, 2 active NodeConfigSource?, 3 lastKnownGood NodeConfigSource?,
            4 error string
        NodeRuntimeHandler: 1 name string, 2 features NodeRuntimeHandlerFeatures?
        NodeRuntimeHandlerFeatures: 1 recursiveReadOnlyMounts bool?, 2 userNamespaces bool?
        NodeFeatures: 1 supplementalGroupsPolicy bool?
        Pod: 1 metadata ObjectMeta, 2 spec PodSpec, 3 status PodStatus
        PodSpec: 1 volumes [Volume], 2 containers [Container], 3 restartPolicy string,
            4 terminationGracePeriodSeconds int64?, 5 activeDeadlineSeconds int64?, 6 dnsPolicy string,
            7 nodeSelector {string}, 8 serviceAccountName string, 9 serviceAccount string, 10 nodeName string,
            11 hostNetwork bool, 12 hostPID bool, 13 hostIPC bool, 14 securityContext PodSecurityContext?,
            15 imagePullSecrets [LocalObjectReference], 16 hostname string, 17 subdomain string, 18 affinity Affinity?,
            19 schedulerName string, 20 initContainers [Container], 21 automountServiceAccountToken bool?,
            22 tolerations [Toleration], 23 hostAliases [HostAlias], 24 priorityClassName string, 25 priority int32?,
            26 dnsConfig PodDNSConfig?, 27 shareProcessNamespace bool?, 28 readinessGates [PodReadinessGate],
            29 runtimeClassName string?, 30 enableServiceLinks bool?, 31 preemptionPolicy string?,
            32 overhead {quantity}, 33 topologySpreadConstraints [TopologySpreadConstraint],
            34 ephemeralContainers [EphemeralContainer], 35 setHostnameAsFQDN bool?, 36 os PodOS?, 37 hostUsers bool?,
            38 schedulingGates [PodSchedulingGate], 39 resourceClaims [PodResourceClaim],
            40 resources ResourceRequirements?
        Volume: 1 name string, 2 volumeSource <VolumeSource>
        VolumeSource: 1 hostPath HostPathVolumeSource?, 2 emptyDir EmptyDirVolumeSource?,
            3 gcePersistentDisk GCEPersistentDiskVolumeSource?,
            4 awsElasticBlockStore AWSElasticBlockStoreVolumeSource?, 5 gitRepo GitRepoVolumeSource?,
            6 secret SecretVolumeSource?, 7 nfs NFSVolumeSource?, 8 iscsi ISCSIVolumeSource?,
            9 glusterfs GlusterfsVolumeSource?, 10 persistentVolumeClaim PersistentVolumeClaimVolumeSource?,
            11 rbd RBDVolumeSource?, 12 flexVolume FlexVolumeSource?, 13 cinder CinderVolumeSource?,
            14 cephfs CephFSVolumeSource?, 15 flocker FlockerVolumeSource?, 16 downwardAPI DownwardAPIVolumeSource?,
            17 fc FCVolumeSource?, 18 azureFile AzureFileVolumeSource?, 19 configMap ConfigMapVolumeSource?,
            20 vsphereVolume VsphereVirtualDiskVolumeSource?, 21 quobyte QuobyteVolumeSource?,
            22 azureDisk AzureDiskVolumeSource?, 23 photonPersistentDisk PhotonPersistentDiskVolumeSource?,
            24 portworxVolume PortworxVolumeSource?, 25 scaleIO ScaleIOVolumeSource?,
            26 projected ProjectedVolumeSource?, 27 storageos StorageOSVolumeSource?, 28 csi CSIVolumeSource?,
            29 ephemeral EphemeralVolumeSource?, 30 image ImageVolumeSource?
        EmptyDirVolumeSource: 1 medium string, 2 sizeLimit quantity?
        GitRepoVolumeSource: 1 repository string, 2 revision string, 3 directory string
        SecretVolumeSource: 1 secretName string, 2 items [KeyToPath], 3 defaultMode int32?, 4 optional bool?
        KeyToPath: 1 key string, 2 path string, 3 mode int32?
        ISCSIVolumeSource: 1 targetPortal string, 2 iqn string, 3 lun int32, 4 iscsiInterface string, 5 fsType string,
            6 readOnly bool, 7 portals [string], 8 chapAuthDiscovery bool, 10 secretRef LocalObjectReference?,
            11 chapAuthSession bool, 12 initiatorName string?
        GlusterfsVolumeSource: 1 endpoints string, 2 path string, 3 readOnly bool
        PersistentVolumeClaimVolumeSource: 1 claimName string, 2 readOnly bool
        RBDVolumeSource: 1 monitors [string], 2 image string, 3 fsType string, 4 pool string, 5 user string,
            6 keyring string, 7 secretRef LocalObjectReference?, 8 readOnly bool
        FlexVolumeSource: 1 driver string, 2 fsType string, 3 secretRef LocalObjectReference?, 4 readOnly bool,
            5 options {string}
        CinderVolumeSource: 1 volumeID string, 2 fsType string, 3 readOnly bool, 4 secretRef LocalObjectReference?
        CephFSVolumeSource: 1 monitors [string], 2 path string, 3 user string, 4 secretFile string,
            5 secretRef LocalObjectReference?, 6 readOnly bool
        DownwardAPIVolumeSource: 1 items [DownwardAPIVolumeFile], 2 defaultMode int32?
        DownwardAPIVolumeFile: 1 path string, 2 fieldRef ObjectFieldSelector?,
            3 resourceFieldRef ResourceFieldSelector?, 4 mode int32?
        ObjectFieldSelector: 1 apiVersion string, 2 fieldPath string
        ResourceFieldSelector: 1 containerName string, 2 resource string, 3 divisor quantity
        AzureFileVolumeSource: 1 secretName string, 2 shareName string, 3 readOnly bool
        ConfigMapVolumeSource: 1 localObjectReference <LocalObjectReference>, 2 items [KeyToPath], 3 defaultMode int32?,
            4 optional bool?
        ScaleIOVolumeSource: 1 gateway string, 2 system string, 3 secretRef LocalObjectReference?, 4 sslEnabled bool,
            5 protectionDomain string, 6 storagePool string, 7 storageMode string, 8 volumeName string, 9 fsType string,
            10 readOnly bool
        ProjectedVolumeSource: 1 sources [VolumeProjection], 2 defaultMode int32?
        VolumeProjection: 1 secret SecretProjection?, 2 downwardAPI DownwardAPIProjection?,
            3 configMap ConfigMapProjection?, 4 serviceAccountToken ServiceAccountTokenProjection?,
            5 clusterTrustBundle ClusterTrustBundleProjection?
        SecretProjection: 1 localObjectReference <LocalObjectReference>, 2 items [KeyToPath], 4 optional bool?
        DownwardAPIProjection: 1 items [DownwardAPIVolumeFile]
        ConfigMapProjection: 1 localObjectReference <LocalObjectReference>, 2 items [KeyToPath], 4 optional bool?
        ServiceAccountTokenProjection: 1 audience string, 2 expirationSeconds int64?, 3 path string
        ClusterTrustBundleProjection: 1 name string?, 2 signerName string?, 3 labelSelector LabelSelector?,
            4 path string, 5 optional bool?
        StorageOSVolumeSource: 1 volumeName string, 2 volumeNamespace string, 3 fsType string, 4 readOnly bool,
            5 secretRef LocalObjectReference?
        CSIVolumeSource: 1 driver string, 2 readOnly bool?, 3 fsType string?, 4 volumeAttributes {string},
            5 nodePublishSecretRef LocalObjectReference?
        EphemeralVolumeSource: 1 volumeClaimTemplate PersistentVolumeClaimTemplate?
        PersistentVolumeClaimTemplate: 1 metadata ObjectMeta, 2 spec PersistentVolumeClaimSpec
        ImageVolumeSource: 1 reference string, 2 pullPolicy string
        Container: 1 name string, 2 image string, 3 command [string], 4 args [string], 5 workingDir string,
            6 ports [ContainerPort], 7 env [EnvVar], 8 resources ResourceRequirements, 9 volumeMounts [VolumeMount],
            10 livenessProbe Probe?, 11 readinessProbe Probe?, 12 lifecycle Lifecycle?,
            13 terminationMessagePath string, 14 imagePullPolicy string, 15 securityContext SecurityContext?,
            16 stdin bool, 17 stdinOnce bool, 18 tty bool, 19 envFrom [EnvFromSource],
            20 terminationMessagePolicy string, 21 volumeDevices [VolumeDevice], 22 startupProbe Probe?,
            23 resizePolicy [ContainerResizePolicy], 24 restartPolicy string?
        ContainerPort: 1 name string, 2 hostPort int32, 3 containerPort int32, 4 protocol string, 5 hostIP string
        EnvVar: 1 name string, 2 value string, 3 valueFrom EnvVarSource?
        EnvVarSource: 1 fieldRef ObjectFieldSelector?, 2 resourceFieldRef ResourceFieldSelector?,
            3 configMapKeyRef ConfigMapKeySelector?, 4 secretKeyRef SecretKeySelector?
        ConfigMapKeySelector: 1 localObjectReference <LocalObjectReference>, 2 key string, 3 optional bool?
        SecretKeySelector: 1 localObjectReference <LocalObjectReference>, 2 key string, 3 optional bool?
        ResourceRequirements: 1 limits {quantity}, 2 requests {quantity}, 3 claims [ResourceClaim]
        ResourceClaim: 1 name string, 2 request string
        VolumeMount: 1 name string, 2 readOnly bool, 3 mountPath string, 4 subPath string, 5 mountPropagation string?,
            6 subPathExpr string, 7 recursiveReadOnly string?
        Probe: 1 handler <ProbeHandler>, 2 initialDelaySeconds int32, 3 timeoutSeconds int32, 4 periodSeconds int32,
            5 successThreshold int32, 6 failureThreshold int32, 7 terminationGracePeriodSeconds int64?
        ProbeHandler: 1 exec ExecAction?, 2 httpGet HTTPGetAction?, 3 tcpSocket TCPSocketAction?, 4 grpc GRPCAction?
        ExecAction: 1 command [string]
        HTTPGetAction: 1 path string, 2 port intOrString, 3 host string, 4 scheme string, 5 httpHeaders [HTTPHeader]
        HTTPHeader: 1 name string, 2 value string
        TCPSocketAction: 1 port intOrString, 2 host string
        GRPCAction: 1 port int32, 2 service string?
        Lifecycle: 1 postStart LifecycleHandler?, 2 preStop LifecycleHandler?, 3 stopSignal string?
        LifecycleHandler: 1 exec ExecAction?, 2 httpGet HTTPGetAction?, 3 tcpSocket TCPSocketAction?,
            4 sleep SleepAction?
        SleepAction: 1 seconds int64
        SecurityContext: 1 capabilities Capabilities?, 2 privileged bool?, 3 seLinuxOptions SELinuxOptions?,
            4 runAsUser int64?, 5 runAsNonRoot bool?, 6 readOnlyRootFilesystem bool?, 7 allowPrivilegeEscalation bool?,
            8 runAsGroup int64?, 9 procMount string?, 10 windowsOptions WindowsSecurityContextOptions?,
            11 seccompProfile SeccompProfile?, 12 appArmorProfile AppArmorProfile?
        Capabilities: 1 add [string], 2 drop [string]
        SELinuxOptions: 1 user string, 2 role string, 3 type string, 4 level string
        WindowsSecurityContextOptions: 1 gmsaCredentialSpecName string?, 2 gmsaCredentialSpec string?,
            3 runAsUserName string?, 4 hostProcess bool?
        SeccompProfile: 1 type string, 2 localhostProfile string?
        AppArmorProfile: 1 type string, 2 localhostProfile string?
        EnvFromSource: 1 prefix string, 2 configMapRef ConfigMapEnvSource?, 3 secretRef SecretEnvSource?
        ConfigMapEnvSource: 1 localObjectReference <LocalObjectReference>, 2 optional bool?
        SecretEnvSource: 1 localObjectReference <LocalObjectReference>, 2 optional bool?
        VolumeDevice: 1 name string, 2 devicePath string
        ContainerResizePolicy: 1 resourceName string, 2 restartPolicy string
        PodSecurityContext: 1 seLinuxOptions SELinuxOptions?, 2 runAsUser int64?, 3 runAsNonRoot bool?,
            4 supplementalGroups [int64], 5 fsGroup int64?, 6 runAsGroup int64?, 7 sysctls [Sysctl],
            8 windowsOptions WindowsSecurityContextOptions?, 9 fsGroupChangePolicy string?,
            10 seccompProfile SeccompProfile?, 11 appArmorProfile AppArmorProfile?, 12 supplementalGroupsPolicy string?,
            13 seLinuxChangePolicy string?
        Sysctl: 1 name string, 2 value string
        Affinity: 1 nodeAffinity NodeAffinity?, 2 podAffinity PodAffinity?, 3 podAntiAffinity PodAntiAffinity?
        NodeAffinity: 1 requiredDuringSchedulingIgnoredDuringExecution NodeSelector?,
            2 preferredDuringSchedulingIgnoredDuringExecution [PreferredSchedulingTerm]
        PreferredSchedulingTerm: 1 weight int32, 2 preference NodeSelectorTerm
        PodAffinity: 1 requiredDuringSchedulingIgnoredDuringExecution [PodAffinityTerm],
            2 preferredDuringSchedulingIgnoredDuringExecution [WeightedPodAffinityTerm]
        PodAffinityTerm: 1 labelSelector LabelSelector?, 2 namespaces [string], 3 topologyKey string,
            4 namespaceSelector LabelSelector?, 5 matchLabelKeys [string], 6 mismatchLabelKeys [string]
        WeightedPodAffinityTerm: 1 weight int32, 2 podAffinityTerm PodAffinityTerm
        PodAntiAffinity: 1 requiredDuringSchedulingIgnoredDuringExecution [PodAffinityTerm],
            2 preferredDuringSchedulingIgnoredDuringExecution [WeightedPodAffinityTerm]
        Toleration: 1 key string, 2 operator string, 3 value string, 4 effect string, 5 tolerationSeconds int64?
        HostAlias: 1 ip string, 2 hostnames [string]
        PodDNSConfig: 1 nameservers [string], 2 searches [string], 3 options [PodDNSConfigOption]
        PodDNSConfigOption: 1 name string, 2 value string?
        PodReadinessGate: 1 conditionType string
        TopologySpreadConstraint: 1 maxSkew int32, 2 topologyKey string, 3 whenUnsatisfiable string,
            4 labelSelector LabelSelector?, 5 minDomains int32?, 6 nodeAffinityPolicy string?,
            7 nodeTaintsPolicy string?, 8 matchLabelKeys [string]
        EphemeralContainer: 1 ephemeralContainerCommon <EphemeralContainerCommon>, 2 targetContainerName string
        EphemeralContainerCommon: 1 name string, 2 image string, 3 command [string], 4 args [string],
            5 workingDir string, 6 ports [ContainerPort], 7 env [EnvVar], 8 resources ResourceRequirements,
            9 volumeMounts [VolumeMount], 10 livenessProbe Probe?, 11 readinessProbe Probe?, 12 lifecycle Lifecycle?,
            13 terminationMessagePath string, 14 imagePullPolicy string, 15 securityContext SecurityContext?,
            16 stdin bool, 17 stdinOnce bool, 18 tty bool, 19 envFrom [EnvFromSource],
            20 terminationMessagePolicy string, 21 volumeDevices [VolumeDevice], 22 startupProbe Probe?,
            23 resizePolicy [ContainerResizePolicy], 24 restartPolicy string?
        PodOS: 1 name string
        PodSchedulingGate: 1 name string
        PodResourceClaim: 1 name string, 3 resourceClaimName string?, 4 resourceClaimTemplateName string?
        PodStatus: 1 phase string, 2 conditions [PodCondition], 3 message string, 4 reason string, 5 hostIP string,
            6 podIP string, 7 startTime time?, 8 containerStatuses [ContainerStatus], 9 qosClass string,
            10 initContainerStatuses [ContainerStatus], 11 nominatedNodeName string, 12 podIPs [PodIP],
            13 ephemeralContainerStatuses [ContainerStatus], 14 resize string,
            15 resourceClaimStatuses [PodResourceClaimStatus], 16 hostIPs [HostIP], 17 observedGeneration int64
        PodCondition: 1 type string, 2 status string, 3 lastProbeTime time, 4 lastTransitionTime time, 5 reason string,
            6 message string, 7 observedGeneration int64
        ContainerStatus: 1 name string, 2 state ContainerState, 3 lastState ContainerState, 4 ready bool,
            5 restartCount int32, 6 image string, 7 imageID string, 8 containerID string, 9 started bool?,
            10 allocatedResources {quantity}, 11 resources ResourceRequirements?, 12 volumeMounts [VolumeMountStatus],
            13 user ContainerUser?, 14 allocatedResourcesStatus [ResourceStatus], 15 stopSignal string?
        ContainerState: 1 waiting ContainerStateWaiting?, 2 running ContainerStateRunning?,
            3 terminated ContainerStateTerminated?
        ContainerStateWaiting: 1 reason string, 2 message string
        ContainerStateRunning: 1 startedAt time
        ContainerStateTerminated: 1 exitCode int32, 2 signal int32, 3 reason string, 4 message string, 5 startedAt time,
            6 finishedAt time, 7 containerID string
        VolumeMountStatus: 1 name string, 2 mountPath string, 3 readOnly bool, 4 recursiveReadOnly string?
        ContainerUser: 1 linux LinuxContainerUser?
        LinuxContainerUser: 1 uid int64, 2 gid int64, 3 supplementalGroups [int64]
        ResourceStatus: 1 name string, 2 resources [ResourceHealth]
        ResourceHealth: 1 resourceID string, 2 health string
        PodIP: 1 ip string
        PodResourceClaimStatus: 1 name string, 2 resourceClaimName string?
        HostIP: 1 ip string
        Binding: 1 metadata ObjectMeta, 2 target ObjectReference
        PodTemplateSpec: 1 metadata ObjectMeta, 2 spec PodSpec
        ReplicaSet: 1 metadata ObjectMeta, 2 spec ReplicaSetSpec, 3 status ReplicaSetStatus
        ReplicaSetSpec: 1 replicas int32?, 2 selector LabelSelector?, 3 template PodTemplateSpec, 4 minReadySeconds int32
        ReplicaSetStatus: 1 replicas int32, 2 fullyLabeledReplicas int32, 3 observedGeneration int64,
            4 readyReplicas int32, 5 availableReplicas int32, 6 conditions [ReplicaSetCondition],
            7 terminatingReplicas int32?
        ReplicaSetCondition: 1 type string, 2 status string, 3 lastTransitionTime time, 4 reason string,
            5 message string
        Deployment: 1 metadata ObjectMeta, 2 spec DeploymentSpec, 3 status DeploymentStatus
        DeploymentSpec: 1 replicas int32?, 2 selector LabelSelector?, 3 template PodTemplateSpec,
            4 strategy DeploymentStrategy, 5 minReadySeconds int32, 6 revisionHistoryLimit int32?, 7 paused bool,
            9 progressDeadlineSeconds int32?
        DeploymentStrategy: 1 type string, 2 rollingUpdate RollingUpdateDeployment?
        RollingUpdateDeployment: 1 maxUnavailable intOrString?, 2 maxSurge intOrString?
        DeploymentStatus: 1 observedGeneration int64, 2 replicas int32, 3 updatedReplicas int32,
            4 availableReplicas int32, 5 unavailableReplicas int32, 6 conditions [DeploymentCondition],
            7 readyReplicas int32, 8 collisionCount int32?, 9 terminatingReplicas int32?
        DeploymentCondition: 1 type string, 2 status string, 4 reason string, 5 message string, 6 lastUpdateTime time,
            7 lastTransitionTime time
        StatefulSet: 1 metadata ObjectMeta, 2 spec StatefulSetSpec, 3 status StatefulSetStatus
        StatefulSetSpec: 1 replicas int32?, 2 selector LabelSelector?, 3 template PodTemplateSpec,
            4 volumeClaimTemplates [PersistentVolumeClaim], 5 serviceName string, 6 podManagementPolicy string,
            7 updateStrategy StatefulSetUpdateStrategy, 8 revisionHistoryLimit int32?, 9 minReadySeconds int32,
            10 persistentVolumeClaimRetentionPolicy StatefulSetPersistentVolumeClaimRetentionPolicy?,
            11 ordinals StatefulSetOrdinals?
        StatefulSetUpdateStrategy: 1 type string, 2 rollingUpdate RollingUpdateStatefulSetStrategy?
        RollingUpdateStatefulSetStrategy: 1 partition int32?, 2 maxUnavailable intOrString?
        StatefulSetPersistentVolumeClaimRetentionPolicy: 1 whenDeleted string, 2 whenScaled string
        StatefulSetOrdinals: 1 start int32
        StatefulSetStatus: 1 observedGeneration int64?, 2 replicas int32, 3 readyReplicas int32,
            4 currentReplicas int32, 5 updatedReplicas int32, 6 currentRevision string, 7 updateRevision string,
            9 collisionCount int32?, 10 conditions [StatefulSetCondition], 11 availableReplicas int32
        StatefulSetCondition: 1 type string, 2 status string, 3 lastTransitionTime time, 4 reason string,
            5 message string
        DaemonSet: 1 metadata ObjectMeta, 2 spec DaemonSetSpec, 3 status DaemonSetStatus
        DaemonSetSpec: 1 selector LabelSelector?, 2 template PodTemplateSpec, 3 updateStrategy DaemonSetUpdateStrategy,
            4 minReadySeconds int32, 6 revisionHistoryLimit int32?
        DaemonSetUpdateStrategy: 1 type string, 2 rollingUpdate RollingUpdateDaemonSet?
        RollingUpdateDaemonSet: 1 maxUnavailable intOrString?, 2 maxSurge intOrString?
        DaemonSetStatus: 1 currentNumberScheduled int32, 2 numberMisscheduled int32, 3 desiredNumberScheduled int32,
            4 numberReady int32, 5 observedGeneration int64, 6 updatedNumberScheduled int32, 7 numberAvailable int32,
            8 numberUnavailable int32, 9 collisionCount int32?, 10 conditions [DaemonSetCondition]
        DaemonSetCondition: 1 type string, 2 status string, 3 lastTransitionTime time, 4 reason string,
            5 message string
        ControllerRevision: 1 metadata ObjectMeta, 2 data json, 3 revision int64
        Scale: 1 metadata ObjectMeta, 2 spec ScaleSpec, 3 status ScaleStatus
        ScaleSpec: 1 replicas int32
        ScaleStatus: 1 replicas int32, 2 selector string
        """;

    private WorkloadMessages() {}
}
