package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.kind.Violations;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Where a PersistentVolume can come from: exactly one of these. Most can only be kept here, not mounted; their rules are checked all
 * the same, so that what is accepted here is accepted by Kubernetes. Stateless; any thread.
 */
final class VolumeSources {
    private static final String PARTITION = Names.between(1, 255);
    private static final String LUN = Names.between(0, 255);
    private static final String REGISTRY = "must be a host:port pair or multiple pairs separated by commas";
    private static final Set<String> HOST_PATH_TYPES =
            Set.of("", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice");
    private static final Set<String> AZURE_CACHING = Set.of("None", "ReadOnly", "ReadWrite");
    private static final Set<String> AZURE_KINDS = Set.of("Shared", "Dedicated", "Managed");
    private static final String AZURE_MANAGED_DISK =
            "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
    private static final String AZURE_BLOB_DISK =
            "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

    /** In the order in which Kubernetes looks, which decides which of two sources is one too many. */
    private static final Map<String, Consumer<VolumeSource>> CHECKS = new LinkedHashMap<>();

    static {
        CHECKS.put("hostPath", VolumeSources::hostPath);
        CHECKS.put("gcePersistentDisk", source -> disk(source, "pdName"));
        CHECKS.put("awsElasticBlockStore", source -> disk(source, "volumeID"));
        CHECKS.put("glusterfs", VolumeSources::glusterfs);
        CHECKS.put("flocker", VolumeSources::flocker);
        CHECKS.put("nfs", VolumeSources::nfs);
        CHECKS.put("rbd", source -> source.require("monitors", "image"));
        CHECKS.put("quobyte", VolumeSources::quobyte);
        CHECKS.put("cephfs", source -> source.require("monitors"));
        CHECKS.put("iscsi", IscsiSource::validate);
        CHECKS.put("cinder", VolumeSources::cinder);
        CHECKS.put("fc", VolumeSources::fibreChannel);
        CHECKS.put("flexVolume", VolumeSources::flexVolume);
        CHECKS.put("azureFile", VolumeSources::azureFile);
        CHECKS.put("vsphereVolume", source -> source.require("volumePath"));
        CHECKS.put("photonPersistentDisk", source -> source.require("pdID"));
        CHECKS.put("portworxVolume", source -> source.require("volumeID"));
        CHECKS.put("azureDisk", VolumeSources::azureDisk);
        CHECKS.put("scaleIO", source -> source.require("gateway", "system", "volumeName"));
        CHECKS.put("local", VolumeSources::local);
        CHECKS.put("storageos", VolumeSources::storageOs);
        CHECKS.put("csi", CsiSource::validate);
    }

    private VolumeSources() {}

    /** The names of all sources. */
    static Set<String> names() {
        return CHECKS.keySet();
    }

    /** Whether the spec has exactly one source, and that is complete. */
    static void validate(JsonNode spec, String path, String volume, Violations violations) {
        boolean found = false;
        for (var check : CHECKS.entrySet()) {
            String name = check.getKey();
            if (!Fields.has(spec, name)) {
                continue;
            }
            if (found) {
                violations.forbidden(path + '.' + name, "may not specify more than 1 volume type");
            } else {
                found = true;
                check.getValue().accept(new VolumeSource(spec.get(name), path + '.' + name, volume, violations));
                if (name.equals("local") && !Fields.has(spec, "nodeAffinity")) {
                    violations.required(path + ".nodeAffinity", "Local volume requires node affinity");
                }
            }
        }
        if (!found) {
            violations.required(path, "must specify a volume type");
        }
    }

    private static void hostPath(VolumeSource source) {
        source.require("path");
        if (!source.text("path").isEmpty()) {
            source.noBacksteps("path");
            source.oneOf("type", HOST_PATH_TYPES);
        }
    }

    private static void local(VolumeSource source) {
        source.require("path");
        source.noBacksteps("path");
    }

    private static void nfs(VolumeSource source) {
        source.require("server", "path");
        if (!source.text("path").startsWith("/")) {
            source.violations().invalid(source.at("path"), source.text("path"), "must be an absolute path");
        }
    }

    private static void disk(VolumeSource source, String id) {
        source.require(id);
        source.between("partition", 0, 255, PARTITION);
    }

    private static void glusterfs(VolumeSource source) {
        source.require("endpoints", "path");
        if (source.has("endpointsNamespace")) {
            if (source.text("endpointsNamespace").isEmpty()) {
                source.invalid(
                        "endpointsNamespace", "if the endpointnamespace is set, it must be a valid namespace name");
            } else {
                source.invalid("endpointsNamespace", Names.dns1123Label(source.text("endpointsNamespace")));
            }
        }
    }

    private static void flocker(VolumeSource source) {
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

    private static void quobyte(VolumeSource source) {
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

    private static void cinder(VolumeSource source) {
        source.require("volumeID");
        source.secretNamed("secretRef", "name", "namespace");
    }

    private static void fibreChannel(VolumeSource source) {
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

    private static void flexVolume(VolumeSource source) {
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

    private static void azureFile(VolumeSource source) {
        source.require("secretName", "shareName");
        if (source.has("secretNamespace")) {
            source.require("secretNamespace");
        }
    }

    private static void azureDisk(VolumeSource source) {
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

    private static void storageOs(VolumeSource source) {
        source.require("volumeName");
        if (!source.text("volumeName").isEmpty()) {
            source.invalid("volumeName", Names.dns1123Label(source.text("volumeName")));
        }
        if (!source.text("volumeNamespace").isEmpty()) {
            source.invalid("volumeNamespace", Names.dns1123Label(source.text("volumeNamespace")));
        }
        source.secretNamed("secretRef", "name", "namespace");
    }
}
