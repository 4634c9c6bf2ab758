package dev.mooring.model.view;

/** Annotations and finalizers through which storage controllers coordinate. */
public final class StorageNames {
    public static final String CLAIMS = "persistentvolumeclaims";
    public static final String VOLUMES = "persistentvolumes";
    public static final String CLASSES = "storageclasses.storage.k8s.io";
    public static final String ATTACHMENTS = "volumeattachments.storage.k8s.io";
    public static final String OPERATIONS = "volumeoperations.mooring.dev";
    public static final String ACTUAL_VOLUMES = "actualvolumes.mooring.dev";
    public static final String DESIRED_VOLUMES = "desiredvolumes.mooring.dev";

    /** Annotation of a claim: it was fully bound. */
    public static final String BIND_COMPLETED = "pv.kubernetes.io/bind-completed";

    /** Annotation of a volume or claim: the controller, not the user, chose the other side. */
    public static final String BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";

    /** Annotation of a volume: the provisioner that created it and deletes it. */
    public static final String PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";

    /** Annotation of a volume or claim: a CSI driver replaces the in-tree plugin. */
    public static final String MIGRATED_TO = "pv.kubernetes.io/migrated-to";

    /** Annotation of a volume: the node that discovered it on its disks and manages it. */
    public static final String DISCOVERED_BY = "mooring.dev/discovered-by";

    /**
     * Annotation of a volume for one node or one Pod: the ActualVolume and the Pod's uid of the last mount, written
     * before the mount starts.
     */
    public static final String LAST_MOUNTED_BY = "mooring.dev/last-mounted-by";

    /** Annotation of a claim: the responsible provisioner. Written together with the next one. */
    public static final String STORAGE_PROVISIONER = "volume.kubernetes.io/storage-provisioner";

    public static final String BETA_STORAGE_PROVISIONER = "volume.beta.kubernetes.io/storage-provisioner";

    /** Annotation of a claim with WaitForFirstConsumer: the selected node. */
    public static final String SELECTED_NODE = "volume.kubernetes.io/selected-node";

    /** Annotation of a volume or claim: the class, from before the field existed; takes precedence over the field. */
    public static final String BETA_CLASS = "volume.beta.kubernetes.io/storage-class";

    /** Annotation of a volume: its size before an expansion that the node has yet to complete. */
    public static final String PRE_RESIZE = "volume.alpha.kubernetes.io/pre-resize-capacity";

    /** Annotation of a class: the default class. */
    public static final String DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";

    public static final String BETA_DEFAULT_CLASS = "storageclass.beta.kubernetes.io/is-default-class";

    /** Finalizer: protects a claim while it is in use. */
    public static final String CLAIM_PROTECTION = "kubernetes.io/pvc-protection";

    /** Finalizer: protects a volume while it is bound. */
    public static final String VOLUME_PROTECTION = "kubernetes.io/pv-protection";

    /** Finalizer: keeps a volume with the policy Delete until its data is deleted. */
    public static final String VOLUME_CONTROLLER = "kubernetes.io/pv-controller";

    /** Finalizer: the same, for external provisioners. */
    public static final String EXTERNAL_PROVISIONER = "external-provisioner.volume.kubernetes.io/finalizer";

    /** The provisioner of classes without dynamic provisioning. */
    public static final String NO_PROVISIONER = "kubernetes.io/no-provisioner";

    /** Prefix of all Mooring provisioners. */
    public static final String MOORING_PROVISIONER_PREFIX = "mooring.dev/";

    /**
     * Annotation prefix of a Node, followed by a kind such as {@code hostpath}: its default base directory for new
     * volumes.
     */
    public static final String VOLUME_BASE = "mooring.dev/volume-base.";

    /** Driver name of block volumes in a PersistentVolume: {@code spec.csi.driver}. */
    public static final String BLOCK_DRIVER = "block.mooring.dev";

    /** Finalizer: keeps the attachment of a block volume until its node has detached it. */
    public static final String BLOCK_ATTACHER = "external-attacher/block-mooring-dev";

    /** Annotation of a VolumeOperation: fingerprint of the spec that its node has tried. */
    public static final String TRIED_SPEC = "mooring.dev/tried-spec";

    /** Actor name of the PersistentVolumeController. */
    public static final String VOLUME_CONTROLLER_NAME = "persistentvolume-controller";

    /** Label of a node with its host name. */
    public static final String HOST_NAME = "kubernetes.io/hostname";

    private StorageNames() {}
}
