package dev.mooring.model.view;

import dev.mooring.model.NearestMatch;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The parameters of a StorageClass of Mooring's provisioners: names, validation and defaults. Parameters are immutable,
 * so they are validated completely when the class is created. Immutable; thread-safe.
 */
public final class ClassParameters {
    public static final String CREATE_MISSING_VOLUME = "createMissingVolume";
    public static final String PATH_PATTERN = "pathPattern";
    public static final String BASE_PATH = "basePath";
    public static final String ON_DELETE = "onDelete";
    public static final String MODE = "mode";
    public static final String UID = "uid";
    public static final String GID = "gid";
    public static final String SERVER = "server";
    public static final String SHARE = "share";
    public static final String SUB_DIR = "subDir";
    public static final String MOUNT_PERMISSIONS = "mountPermissions";
    public static final String FS_TYPE = "fsType";

    /** The name of {@link #FS_TYPE} that every CSI driver knows. */
    public static final String CSI_FS_TYPE = "csi.storage.k8s.io/fstype";

    public static final String OVERCOMMIT = "overcommit";

    private static final int DEFAULT_MODE = 0777;
    private static final int OCTAL = 8;
    private static final Set<String> BOOLEANS = ordered("true", "false");
    private static final Set<String> WAYS_TO_DELETE = ordered("delete", "retain", "archive");
    private static final Set<String> FILE_SYSTEMS = ordered("ext4", "xfs");

    /** The parameters of each provisioner, with the validation of their values. */
    private static final Map<String, Map<String, Function<String, Optional<String>>>> KNOWN = known();

    /** A validation error of a parameter. */
    public record Problem(String key, String value, String message) {}

    private final Map<String, String> given;

    private ClassParameters(Map<String, String> given) {
        this.given = Map.copyOf(given);
    }

    /** Returns the parameters of a class, which must have no {@link #problems}. */
    public static ClassParameters of(Map<String, String> parameters) {
        return new ClassParameters(parameters);
    }

    private static Map<String, Map<String, Function<String, Optional<String>>>> known() {
        Map<String, Map<String, Function<String, Optional<String>>>> known = new LinkedHashMap<>();
        SourceTypes.all().forEach(type -> type.provisioner().ifPresent(name -> known.put(name, type.parameters())));
        return known;
    }

    /** Returns the parameters of all provisioners, with the validation of their values. */
    static Map<String, Function<String, Optional<String>>> ofAll() {
        Map<String, Function<String, Optional<String>>> common = new TreeMap<>();
        common.put(CREATE_MISSING_VOLUME, ClassParameters::booleanError);
        common.put(PATH_PATTERN, ParameterChecks::pattern);
        common.put(BASE_PATH, ParameterChecks::directory);
        common.put(ON_DELETE, value -> ParameterChecks.oneOf(value, WAYS_TO_DELETE));
        return common;
    }

    /** Returns the parameters of provisioners that create directories, with the validation of their values. */
    static Map<String, Function<String, Optional<String>>> ofDirectories() {
        Map<String, Function<String, Optional<String>>> directory = new TreeMap<>(ofAll());
        directory.put(MODE, ParameterChecks::mode);
        directory.put(UID, ParameterChecks::id);
        directory.put(GID, ParameterChecks::id);
        return directory;
    }

    static Optional<String> booleanError(String value) {
        return ParameterChecks.oneOf(value, BOOLEANS);
    }

    static Optional<String> fileSystemError(String value) {
        return ParameterChecks.oneOf(value, FILE_SYSTEMS);
    }

    /** Returns whether this is one of Mooring's provisioners. */
    public static boolean isKnownProvisioner(String provisioner) {
        return KNOWN.containsKey(provisioner);
    }

    /** Returns the message for an unknown provisioner with Mooring's prefix. */
    public static String unknownProvisioner(String provisioner) {
        int prefix = StorageNames.MOORING_PROVISIONER_PREFIX.length();
        // Compares without the common prefix, which does not distinguish them.
        Optional<String> meant = NearestMatch.ignoringCase(
                        provisioner.substring(Math.min(prefix, provisioner.length())),
                        KNOWN.keySet().stream()
                                .map(name -> name.substring(prefix))
                                .sorted()
                                .toList())
                .map(name -> StorageNames.MOORING_PROVISIONER_PREFIX + name);
        return "is not a provisioner of Mooring; "
                + meant.map(name -> "did you mean \"" + name + "\"? Known provisioners are ")
                        .orElse("known provisioners are ")
                + String.join(", ", KNOWN.keySet());
    }

    /**
     * Returns the validation errors of a class's parameters, by name. Parameters of other provisioners are not
     * validated.
     *
     * @param reclaimPolicy of the class; "" if not set
     */
    public static List<Problem> problems(String provisioner, Map<String, String> parameters, String reclaimPolicy) {
        Map<String, Function<String, Optional<String>>> known = KNOWN.get(provisioner);
        if (known == null) {
            return List.of();
        }
        List<Problem> problems = new ArrayList<>();
        new TreeMap<>(parameters).forEach((key, value) -> {
            Function<String, Optional<String>> check = known.get(key);
            Optional<String> problem = check == null ? Optional.of(unknown(provisioner, key)) : check.apply(value);
            problem.ifPresent(message -> problems.add(new Problem(key, value, message)));
        });
        if (known.containsKey(SUB_DIR)) {
            onlyOne(parameters, SUB_DIR, PATH_PATTERN, problems);
            onlyOne(parameters, MOUNT_PERMISSIONS, MODE, problems);
        }
        if (known.containsKey(CSI_FS_TYPE)) {
            onlyOne(parameters, CSI_FS_TYPE, FS_TYPE, problems);
        }
        if (reclaimPolicy.equals("Retain") && parameters.containsKey(ON_DELETE)) {
            problems.add(new Problem(
                    ON_DELETE,
                    parameters.get(ON_DELETE),
                    "has no effect with reclaimPolicy Retain: leave it out, or use reclaimPolicy Delete"));
        }
        return problems;
    }

    private static void onlyOne(Map<String, String> parameters, String key, String same, List<Problem> problems) {
        if (parameters.containsKey(key) && parameters.containsKey(same)) {
            problems.add(new Problem(key, parameters.get(key), "means the same as " + same + ": use only one of them"));
        }
    }

    private static String unknown(String provisioner, String key) {
        Set<String> names = KNOWN.get(provisioner).keySet();
        return "unknown parameter of " + provisioner + "; "
                + NearestMatch.ignoringCase(key, names)
                        .map(name -> "did you mean \"" + name + "\"?")
                        .orElseGet(() -> "known parameters are " + String.join(", ", names));
    }

    /** Returns whether a missing volume is provisioned under the name that a claim requests. */
    public boolean createsMissingVolume() {
        return isTrue(CREATE_MISSING_VOLUME);
    }

    public PathPattern pathPattern() {
        return first(PATH_PATTERN, SUB_DIR).map(PathPattern::parse).orElse(PathPattern.DEFAULT);
    }

    /** Returns the base directory of all volumes; empty for the node's default. */
    public Optional<String> basePath() {
        return first(BASE_PATH);
    }

    /**
     * Returns what happens to the data of a deleted volume: delete, retain or archive. Empty for the default, delete.
     */
    public Optional<String> onDelete() {
        return first(ON_DELETE);
    }

    /** Returns the permissions of a new directory. */
    public int mode() {
        return first(MODE, MOUNT_PERMISSIONS)
                .map(text -> Integer.parseInt(text, OCTAL))
                .orElse(DEFAULT_MODE);
    }

    /** Returns the owner of a new directory; empty for that of the creating process. */
    public Optional<Integer> uid() {
        return first(UID).map(Integer::valueOf);
    }

    /** Returns the group of a new directory; empty for that of the creating process. */
    public Optional<Integer> gid() {
        return first(GID).map(Integer::valueOf);
    }

    /** Returns the NFS server; empty for the node's configured one. */
    public Optional<String> server() {
        return first(SERVER);
    }

    /** Returns the NFS export; empty for the node's configured one. */
    public Optional<String> share() {
        return first(SHARE);
    }

    /** Returns the file system of a block volume: ext4 or xfs. */
    public String fsType() {
        return first(FS_TYPE, CSI_FS_TYPE).orElse("ext4");
    }

    /** Returns whether block volumes may together exceed the size of their file system. */
    public boolean overcommits() {
        return isTrue(OVERCOMMIT);
    }

    private boolean isTrue(String key) {
        return first(key).filter("true"::equals).isPresent();
    }

    private Optional<String> first(String... keys) {
        for (String key : keys) {
            if (given.containsKey(key)) {
                return Optional.of(given.get(key));
            }
        }
        return Optional.empty();
    }

    /** Returns a set in the order in which the values are listed in messages. */
    private static Set<String> ordered(String... values) {
        return Collections.unmodifiableSet(new LinkedHashSet<>(List.of(values)));
    }
}
