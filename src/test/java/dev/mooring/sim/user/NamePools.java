package dev.mooring.sim.user;

import dev.mooring.model.view.StorageNames;
import java.util.List;

/** Small pools of names, so that objects collide often. */
final class NamePools {
    static final String PODS = "pods";
    static final String CLAIMS = StorageNames.CLAIMS;
    static final String VOLUMES = StorageNames.VOLUMES;
    static final String CLASSES = StorageNames.CLASSES;
    static final String NAMESPACES = "namespaces";
    static final String NODES = "nodes";
    static final String CONFIG_MAPS = "configmaps";
    static final String SECRETS = "secrets";

    static final List<String> TARGET_NAMESPACES =
            List.of("default", "default", "default", "team-a", "team-a", "team-b");
    static final List<String> NEW_NAMESPACES = List.of("team-a", "team-a", "team-b");
    static final List<String> CLAIM_NAMES = List.of("c0", "c1", "c2", "c3");
    static final List<String> VOLUME_NAMES = List.of("v0", "v1", "v2", "v3");
    static final List<String> POD_NAMES = List.of("p0", "p1", "p2", "p3");
    static final List<String> CLASS_NAMES = List.of("k0", "k1", "k2");
    static final List<String> CONTENT_NAMES = List.of("x0", "x1");
    static final List<String> SIZES = List.of("1Gi", "1G", "2Gi", "1.5Gi", "3Gi", "512Mi");
    static final List<String> LARGER_SIZES = List.of("4Gi", "5Gi", "6Gi", "8Gi");

    static final List<String> RWO = List.of("ReadWriteOnce");
    static final List<String> RWX = List.of("ReadWriteMany");
    static final List<List<String>> MODES = List.of(
            RWO,
            RWO,
            RWO,
            RWX,
            List.of("ReadOnlyMany"),
            List.of("ReadWriteOncePod"),
            List.of("ReadWriteOnce", "ReadOnlyMany"),
            List.of("ReadWriteOnce", "ReadWriteMany"));

    static final List<String> NFS_SERVERS = List.of("s1", "s2", "s3");
    static final List<String> EXPORTS = List.of("/export/a", "/export/b");

    static final List<String> BUILT_IN_CLASSES = List.of("hostPath", "nfs", "block", "local");

    /** Annotation of every object of a user, which must be preserved. */
    static final String FOREIGN = "example.com/foreign";

    /** A field that Mooring does not know. */
    static final String UNKNOWN = "exampleUnknown";

    /** Prefix of users' finalizers. */
    static final String OWN_FINALIZERS = "example.com/";

    private NamePools() {}
}
