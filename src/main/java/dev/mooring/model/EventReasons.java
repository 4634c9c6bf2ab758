package dev.mooring.model;

/**
 * The reasons of all Events ({@link KubeEvent}) that Mooring records, as in the kubelet's {@code pkg/kubelet/events}.
 * Where Kubernetes has an Event for the same fact, the reason is that of Kubernetes. Users filter by these values, so
 * they must not change. Only the Events of injected faults are elsewhere: they have the type of their log event as
 * reason.
 */
public final class EventReasons {
    // Pods and containers
    public static final String SCHEDULED = "Scheduled";
    public static final String FAILED_SCHEDULING = "FailedScheduling";
    public static final String SANDBOX_CHANGED = "SandboxChanged";
    public static final String FAILED_CREATE_POD_SANDBOX = "FailedCreatePodSandBox";
    public static final String CREATED = "Created";
    public static final String STARTED = "Started";
    public static final String KILLING = "Killing";
    public static final String FAILED = "Failed";
    public static final String FAILED_KILL_POD = "FailedKillPod";
    public static final String BACK_OFF = "BackOff";
    public static final String INVALID_ENVIRONMENT_VARIABLE_NAMES = "InvalidEnvironmentVariableNames";

    // Workloads
    public static final String SUCCESSFUL_CREATE = "SuccessfulCreate";
    public static final String SUCCESSFUL_DELETE = "SuccessfulDelete";
    public static final String FAILED_CREATE = "FailedCreate";
    public static final String SCALING_REPLICA_SET = "ScalingReplicaSet";

    // Jobs and CronJobs
    public static final String COMPLETED = "Completed";
    public static final String SUSPENDED = "Suspended";
    public static final String RESUMED = "Resumed";
    public static final String BACKOFF_LIMIT_EXCEEDED = "BackoffLimitExceeded";
    public static final String DEADLINE_EXCEEDED = "DeadlineExceeded";
    public static final String SAW_COMPLETED_JOB = "SawCompletedJob";
    public static final String JOB_ALREADY_ACTIVE = "JobAlreadyActive";
    public static final String TOO_MANY_MISSED_TIMES = "TooManyMissedTimes";
    public static final String INVALID_SCHEDULE = "InvalidSchedule";

    // Probes and lifecycle hooks
    public static final String UNHEALTHY = "Unhealthy";
    public static final String PROBE_WARNING = "ProbeWarning";
    public static final String FAILED_POST_START_HOOK = "FailedPostStartHook";
    public static final String FAILED_PRE_STOP_HOOK = "FailedPreStopHook";

    // Images
    public static final String PULLING = "Pulling";
    public static final String PULLED = "Pulled";
    public static final String INSPECT_FAILED = "InspectFailed";
    public static final String ERR_IMAGE_NEVER_PULL = "ErrImageNeverPull";
    public static final String FAILED_TO_RETRIEVE_IMAGE_PULL_SECRET = "FailedToRetrieveImagePullSecret";

    // Attaching, mounting and unmounting
    public static final String SUCCESSFUL_ATTACH_VOLUME = "SuccessfulAttachVolume";
    public static final String FAILED_ATTACH_VOLUME = "FailedAttachVolume";
    public static final String FAILED_DETACH_VOLUME = "FailedDetachVolume";
    public static final String FAILED_MOUNT = "FailedMount";
    public static final String FAILED_UNMOUNT = "FailedUnMount";
    public static final String ALREADY_MOUNTED_VOLUME = "AlreadyMountedVolume";
    public static final String DEVICE_CHANGED = "DeviceChanged";
    public static final String DEVICE_SMALLER = "DeviceSmaller";
    public static final String FORMATTING = "Formatting";
    public static final String FS_GROUP_IGNORED = "FsGroupIgnored";
    public static final String HOST_PATH_CREATED = "HostPathCreated";
    public static final String MOUNT_OPTIONS_DIFFER = "MountOptionsDiffer";
    public static final String OWNERSHIP_NOT_SET = "OwnershipNotSet";
    public static final String REMOUNTING = "Remounting";
    public static final String SETTING_OWNERSHIP = "SettingOwnership";
    public static final String SOURCE_DIFFERS = "SourceDiffers";
    public static final String UNMOUNT_FORCED = "UnmountForced";
    public static final String UNMOUNT_LAZY = "UnmountLazy";
    public static final String VOLUME_PERMISSION_CHANGE_INCOMPLETE = "VolumePermissionChangeIncomplete";

    // Health, usage and leftovers of volumes on a node
    public static final String VOLUME_CONDITION_ABNORMAL = "VolumeConditionAbnormal";
    public static final String VOLUME_CONDITION_NORMAL = "VolumeConditionNormal";
    public static final String VOLUME_USAGE_HIGH = "VolumeUsageHigh";
    public static final String VOLUME_USAGE_CRITICAL = "VolumeUsageCritical";
    public static final String ORPHANED_POD_DIRECTORY = "OrphanedPodDirectory";
    public static final String ORPHANED_VOLUME_MOUNT = "OrphanedVolumeMount";
    public static final String ORPHANED_LOOP_DEVICE = "OrphanedLoopDevice";
    public static final String VOLUMES_REACHABLE = "VolumesReachable";
    public static final String LOCAL_VOLUME_GONE = "LocalVolumeGone";
    public static final String LOCAL_VOLUME_REMOVED = "LocalVolumeRemoved";

    // Binding and provisioning
    public static final String FAILED_BINDING = "FailedBinding";
    public static final String WAIT_FOR_FIRST_CONSUMER = "WaitForFirstConsumer";
    public static final String WAIT_FOR_POD_SCHEDULED = "WaitForPodScheduled";
    public static final String CLAIM_LOST = "ClaimLost";
    public static final String CLAIM_MISBOUND = "ClaimMisbound";
    public static final String VOLUME_MISMATCH = "VolumeMismatch";
    public static final String VOLUME_NOT_FOUND = "VolumeNotFound";
    public static final String VOLUME_RELEASED = "VolumeReleased";
    public static final String PROVISIONING = "Provisioning";
    public static final String EXTERNAL_PROVISIONING = "ExternalProvisioning";
    public static final String PROVISIONING_SUCCEEDED = "ProvisioningSucceeded";
    public static final String PROVISIONING_FAILED = "ProvisioningFailed";
    public static final String PROVISIONING_CLEANUP_FAILED = "ProvisioningCleanupFailed";

    // Protection and reclaiming
    public static final String CLAIM_IN_USE = "ClaimInUse";
    public static final String VOLUME_IN_USE = "VolumeInUse";
    public static final String VOLUME_DELETE = "VolumeDelete";
    public static final String VOLUME_FAILED_DELETE = "VolumeFailedDelete";
    public static final String VOLUME_RECYCLED = "VolumeRecycled";
    public static final String VOLUME_FAILED_RECYCLE = "VolumeFailedRecycle";
    public static final String VOLUME_UNKNOWN_RECLAIM_POLICY = "VolumeUnknownReclaimPolicy";
    public static final String OWNER_REF_INVALID_NAMESPACE = "OwnerRefInvalidNamespace";

    // Expansion
    public static final String EXTERNAL_EXPANDING = "ExternalExpanding";
    public static final String VOLUME_RESIZE_SUCCESSFUL = "VolumeResizeSuccessful";
    public static final String VOLUME_RESIZE_FAILED = "VolumeResizeFailed";
    public static final String FILE_SYSTEM_RESIZE_REQUIRED = "FileSystemResizeRequired";
    public static final String FILE_SYSTEM_RESIZE_SUCCESSFUL = "FileSystemResizeSuccessful";
    public static final String GROWING_FILE_SYSTEM = "GrowingFileSystem";

    // Nodes and the server
    public static final String STARTING = "Starting";
    public static final String NODE_READY = "NodeReady";
    public static final String NODE_NOT_READY = "NodeNotReady";
    public static final String VERTICLE_DIED = "VerticleDied";
    public static final String VERTICLE_DEGRADED = "VerticleDegraded";
    public static final String VERTICLE_RECOVERED = "VerticleRecovered";
    public static final String LOG_PURGED = "LogPurged";
    public static final String LOG_REENCRYPTED = "LogReencrypted";

    private EventReasons() {}

    /**
     * Returns the reason for a server of volumes that responds again, such as NFSServerReachable.
     *
     * @param kind of the server, such as NFS
     */
    public static String serverReachable(String kind) {
        return kind + "ServerReachable";
    }

    /**
     * Returns the reason for a server of volumes that does not respond, such as NFSServerUnreachable.
     *
     * @param kind of the server, such as NFS
     */
    public static String serverUnreachable(String kind) {
        return kind + "ServerUnreachable";
    }
}
