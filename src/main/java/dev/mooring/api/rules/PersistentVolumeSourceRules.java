package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.SourceType;
import dev.mooring.model.view.SourceTypes;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Rules of PersistentVolume sources, of which there must be exactly one. Most can only be stored here, not mounted;
 * they are validated all the same, so that Kubernetes accepts every accepted object. Stateless; thread-safe.
 */
final class PersistentVolumeSourceRules {
    private static final String PARTITION = NameSyntax.between(1, 255);
    private static final String LUN = NameSyntax.between(0, 255);
    private static final String REGISTRY = "must be a host:port pair or multiple pairs separated by commas";
    private static final Set<String> HOST_PATH_TYPES =
            Set.of("", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice");
    private static final Set<String> AZURE_CACHING = Set.of("None", "ReadOnly", "ReadWrite");
    private static final Set<String> AZURE_KINDS = Set.of("Shared", "Dedicated", "Managed");
    private static final String AZURE_MANAGED_DISK =
            "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
    private static final String AZURE_BLOB_DISK =
            "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

    /** In Kubernetes' order, which decides which of two sources is reported. */
    private static final Map<String, Consumer<CheckedVolumeSource>> CHECKS = new LinkedHashMap<>();

    static {
        CHECKS.put("hostPath", PersistentVolumeSourceRules::hostPath);
        CHECKS.put("gcePersistentDisk", source -> disk(source, "pdName"));
        CHECKS.put("awsElasticBlockStore", source -> disk(source, "volumeID"));
        CHECKS.put("glusterfs", PersistentVolumeSourceRules::glusterfs);
        CHECKS.put("flocker", PersistentVolumeSourceRules::flocker);
        CHECKS.put("nfs", PersistentVolumeSourceRules::nfs);
        CHECKS.put("rbd", source -> source.require("monitors", "image"));
        CHECKS.put("quobyte", PersistentVolumeSourceRules::quobyte);
        CHECKS.put("cephfs", source -> source.require("monitors"));
        CHECKS.put("iscsi", IscsiSourceRules::validate);
        CHECKS.put("cinder", PersistentVolumeSourceRules::cinder);
        CHECKS.put("fc", PersistentVolumeSourceRules::fibreChannel);
        CHECKS.put("flexVolume", PersistentVolumeSourceRules::flexVolume);
        CHECKS.put("azureFile", PersistentVolumeSourceRules::azureFile);
        CHECKS.put("vsphereVolume", source -> source.require("volumePath"));
        CHECKS.put("photonPersistentDisk", source -> source.require("pdID"));
        CHECKS.put("portworxVolume", source -> source.require("volumeID"));
        CHECKS.put("azureDisk", PersistentVolumeSourceRules::azureDisk);
        CHECKS.put("scaleIO", source -> source.require("gateway", "system", "volumeName"));
        CHECKS.put("local", PersistentVolumeSourceRules::local);
        CHECKS.put("storageos", PersistentVolumeSourceRules::storageOs);
        CHECKS.put("csi", CsiSourceRules::validate);
        SourceTypes.all().stream()
                .filter(SourceType::isPersistent)
                .forEach(type -> CHECKS.putIfAbsent(type.field(), source -> validate(type, source)));
    }

    private PersistentVolumeSourceRules() {}

    /** Returns the names of all sources. */
    static Set<String> names() {
        return CHECKS.keySet();
    }

    /** Validates that the spec has exactly one complete source. */
    static void validate(JsonNode spec, String path, String volume, Violations violations) {
        boolean found = false;
        for (var check : CHECKS.entrySet()) {
            String name = check.getKey();
            if (!JsonFields.has(spec, name)) {
                continue;
            }
            if (found) {
                violations.forbidden(path + '.' + name, "may not specify more than 1 volume type");
            } else {
                found = true;
                check.getValue().accept(new CheckedVolumeSource(spec.get(name), path + '.' + name, volume, violations));
                if (name.equals("local") && !JsonFields.has(spec, "nodeAffinity")) {
                    violations.required(path + ".nodeAffinity", "Local volume requires node affinity");
                }
            }
        }
        if (!found) {
            violations.required(path, "must specify a volume type");
        }
    }

    /** Validates the source of a type that Kubernetes does not have. */
    private static void validate(SourceType type, CheckedVolumeSource source) {
        type.sourceError(source.node())
                .ifPresent(error -> source.violations().invalid(source.path(), source.node(), error));
    }

    private static void hostPath(CheckedVolumeSource source) {
        source.require("path");
        if (!source.text("path").isEmpty()) {
            source.noBacksteps("path");
            source.oneOf("type", HOST_PATH_TYPES);
        }
    }

    private static void local(CheckedVolumeSource source) {
        source.require("path");
        source.noBacksteps("path");
    }

    private static void nfs(CheckedVolumeSource source) {
        source.require("server", "path");
        if (!source.text("path").startsWith("/")) {
            source.violations().invalid(source.at("path"), source.text("path"), "must be an absolute path");
        }
    }

    private static void disk(CheckedVolumeSource source, String id) {
        source.require(id);
        source.between("partition", 0, 255, PARTITION);
    }

    private static void glusterfs(CheckedVolumeSource source) {
        source.require("endpoints", "path");
        if (source.has("endpointsNamespace")) {
            if (source.text("endpointsNamespace").isEmpty()) {
                source.invalid(
                        "endpointsNamespace", "if the endpointnamespace is set, it must be a valid namespace name");
            } else {
                source.invalid("endpointsNamespace", NameSyntax.dns1123Label(source.text("endpointsNamespace")));
            }
        }
    }

    private static void flocker(CheckedVolumeSource source) {
        boolean name = !source.text("datasetName").isEmpty();
        boolean uuid = !source.text("datasetUUID").isEmpty();
        if (!name && !uuid) {
            source.violations().required(source.path(), "one of datasetName and datasetUUID is required");
        }
        if (name && uuid) {
            source.violations()
                    .invalid(
                            source.path(),
                            "resource",
                            "datasetName and datasetUUID can not be specified simultaneously");
        }
        if (source.text("datasetName").contains("/")) {
            source.invalid("datasetName", "must not contain '/'");
        }
    }

    private static void quobyte(CheckedVolumeSource source) {
        String registry = source.text("registry");
        if (registry.isEmpty()) {
            source.violations().required(source.at("registry"), REGISTRY);
        } else if (source.text("tenant").length() > 64) {
            source.violations()
                    .required(source.at("tenant"), "must be a UUID and may not exceed a length of 64 characters");
        } else {
            for (String pair : registry.split(",", -1)) {
                if (pair.indexOf(':') < 0) {
                    source.invalid("registry", REGISTRY);
                }
            }
        }
        source.require("volume");
    }

    private static void cinder(CheckedVolumeSource source) {
        source.require("volumeID");
        source.secretNamed("secretRef", "name", "namespace");
    }

    private static void fibreChannel(CheckedVolumeSource source) {
        boolean targets = !source.get("targetWWNs").isEmpty();
        boolean ids = !source.get("wwids").isEmpty();
        if (!targets && !ids) {
            source.violations()
                    .required(source.at("targetWWNs"), "must specify either targetWWNs or wwids, but not both");
        }
        if (targets && ids) {
            source.invalid("targetWWNs", "targetWWNs and wwids can not be specified simultaneously");
        }
        if (targets && !source.has("lun")) {
            source.violations().required(source.at("lun"), "lun is required if targetWWNs is specified");
        } else if (targets) {
            source.between("lun", 0, 255, LUN);
        }
    }

    private static void flexVolume(CheckedVolumeSource source) {
        source.require("driver");
        for (var option : source.get("options").properties()) {
            String key = option.getKey();
            int slash = key.indexOf('/');
            String domain =
                    '.' + key.substring(0, slash < 0 ? key.length() : slash).toLowerCase(Locale.ROOT);
            if (domain.endsWith(".kubernetes.io") || domain.endsWith(".k8s.io")) {
                source.violations()
                        .invalid(
                                source.at("options") + '[' + key + ']',
                                key,
                                "kubernetes.io and k8s.io namespaces are reserved");
            }
        }
    }

    private static void azureFile(CheckedVolumeSource source) {
        source.require("secretName", "shareName");
        if (source.has("secretNamespace")) {
            source.require("secretNamespace");
        }
    }

    private static void azureDisk(CheckedVolumeSource source) {
        source.require("diskName", "diskURI");
        source.oneOf("cachingMode", AZURE_CACHING);
        source.oneOf("kind", AZURE_KINDS);
        if (!source.has("kind")) {
            return;
        }
        boolean managed = source.text("kind").equals("Managed");
        if (!source.text("diskURI").startsWith(managed ? "/subscriptions/" : "https://")) {
            source.violations()
                    .notSupported(
                            source.at("diskURI"),
                            source.text("diskURI"),
                            Set.of(managed ? AZURE_MANAGED_DISK : AZURE_BLOB_DISK));
        }
    }

    private static void storageOs(CheckedVolumeSource source) {
        source.require("volumeName");
        if (!source.text("volumeName").isEmpty()) {
            source.invalid("volumeName", NameSyntax.dns1123Label(source.text("volumeName")));
        }
        if (!source.text("volumeNamespace").isEmpty()) {
            source.invalid("volumeNamespace", NameSyntax.dns1123Label(source.text("volumeNamespace")));
        }
        source.secretNamed("secretRef", "name", "namespace");
    }

    /** Rules of iSCSI volume sources. Stateless; thread-safe. */
    private static final class IscsiSourceRules {
        private static final int PORTAL_AND_NAME_MAX = 64;
        private static final String FORMAT = "must be valid format";
        private static final Pattern IQN = Pattern.compile("iqn\\.\\d{4}-\\d{2}\\.([A-Za-z0-9.-]+)(:[^,;*&$|\\s]+)$");
        private static final Pattern EUI = Pattern.compile("^eui.[A-Za-z0-9]{16}$");
        private static final Pattern NAA = Pattern.compile("^naa.[A-Za-z0-9]{32}$");

        private IscsiSourceRules() {}

        static void validate(CheckedVolumeSource source) {
            source.require("targetPortal");
            int length =
                    source.volume().length() + 1 + source.text("targetPortal").length();
            if (source.has("initiatorName") && length > PORTAL_AND_NAME_MAX) {
                source.violations()
                        .invalid(
                                source.at("targetportal"),
                                source.text("targetPortal"),
                                "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if"
                                        + " iscsi.initiatorName is specified.");
            }
            source.require("iqn");
            if (!source.text("iqn").isEmpty() && !isName(source.text("iqn"))) {
                source.invalid("iqn", FORMAT);
            }
            source.between("lun", 0, 255, NameSyntax.between(0, 255));
            boolean authenticates = JsonFields.isTrue(source.node(), "chapAuthDiscovery")
                    || JsonFields.isTrue(source.node(), "chapAuthSession");
            if (authenticates && !source.has("secretRef")) {
                source.violations().required(source.at("secretRef"), "");
            }
            source.secretNamed("secretRef", "name");
            if (source.has("initiatorName") && !isName(source.text("initiatorName"))) {
                source.violations().invalid(source.at("initiatorname"), source.text("initiatorName"), FORMAT);
            }
        }

        private static boolean isName(String text) {
            if (text.startsWith("iqn")) {
                return IQN.matcher(text).find();
            }
            return EUI.matcher(text).find() || NAA.matcher(text).find();
        }
    }
}
