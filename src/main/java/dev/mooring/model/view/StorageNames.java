package dev.mooring.model.view;

/** Annotations and finalizers by which storage controllers, ours and others', tell one another what they have done. */
public final class StorageNames {
    public static final String CLAIMS = "persistentvolumeclaims";
    public static final String VOLUMES = "persistentvolumes";
    public static final String CLASSES = "storageclasses.storage.k8s.io";
    public static final String ATTACHMENTS = "volumeattachments.storage.k8s.io";
    public static final String OPERATIONS = "volumeoperations.mooring.dev";
    public static final String ACTUAL_VOLUMES = "actualvolumes.mooring.dev";
    public static final String DESIRED_VOLUMES = "desiredvolumes.mooring.dev";

    /** On a claim: it was once fully bound. */
    public static final String BIND_COMPLETED = "pv.kubernetes.io/bind-completed";

    /** On a volume or a claim: the controller, not the user, chose the other side. */
    public static final String BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";

    /** On a volume: which provisioner made it, and so who deletes it. */
    public static final String PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";

    /** On a volume or a claim: a driver has taken over from the plugin the class or volume names. */
    public static final String MIGRATED_TO = "pv.kubernetes.io/migrated-to";

    /** On a volume: the node that found it on its disks, and looks after it. */
    public static final String DISCOVERED_BY = "mooring.dev/discovered-by";

    /** On a volume for one node or one Pod: the ActualVolume and the Pod's uid of whoever began to mount it last. Who begins writes it. */
    public static final String LAST_MOUNTED_BY = "mooring.dev/last-mounted-by";

    /** On a claim: whose turn it is to make a volume. Written together with the next one. */
    public static final String STORAGE_PROVISIONER = "volume.kubernetes.io/storage-provisioner";

    public static final String BETA_STORAGE_PROVISIONER = "volume.beta.kubernetes.io/storage-provisioner";

    /** On a claim whose class waits for the first consumer: the node that was chosen for it. */
    public static final String SELECTED_NODE = "volume.kubernetes.io/selected-node";

    /** On a volume or a claim: the class, as it was written before there was a field; it wins over the field. */
    public static final String BETA_CLASS = "volume.beta.kubernetes.io/storage-class";

    /** On a volume: its size before an expansion whose last step is still to come. */
    public static final String PRE_RESIZE = "volume.alpha.kubernetes.io/pre-resize-capacity";

    /** On a class: claims without a class get this one. */
    public static final String DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";

    public static final String BETA_DEFAULT_CLASS = "storageclass.beta.kubernetes.io/is-default-class";

    /** Keeps a claim while somebody uses it. */
    public static final String CLAIM_PROTECTION = "kubernetes.io/pvc-protection";

    /** Keeps a volume while it is bound. */
    public static final String VOLUME_PROTECTION = "kubernetes.io/pv-protection";

    /** Keeps a volume with the policy Delete until what was made for it is gone. */
    public static final String VOLUME_CONTROLLER = "kubernetes.io/pv-controller";

    /** The same, of provisioners outside. */
    public static final String EXTERNAL_PROVISIONER = "external-provisioner.volume.kubernetes.io/finalizer";

    /** A class whose volumes nobody makes. */
    public static final String NO_PROVISIONER = "kubernetes.io/no-provisioner";

    /** What all provisioners that are part of Mooring begin with. */
    public static final String OUR_PROVISIONERS = "mooring.dev/";

    public static final String HOST_PATH_PROVISIONER = "mooring.dev/hostpath";
    public static final String LOCAL_PROVISIONER = "mooring.dev/local";
    public static final String NFS_PROVISIONER = "mooring.dev/nfs";
    public static final String BLOCK_PROVISIONER = "mooring.dev/block";

    /** Under this name a block volume stands in a PersistentVolume: {@code spec.csi.driver}. */
    public static final String BLOCK_DRIVER = "block.mooring.dev";

    /** Who binds, in events and histories. */
    public static final String VOLUME_CONTROLLER_NAME = "persistentvolume-controller";

    /** The label every node has with its own name. */
    public static final String HOST_NAME = "kubernetes.io/hostname";

    private StorageNames() {}
}
