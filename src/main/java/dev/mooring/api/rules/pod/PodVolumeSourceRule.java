package dev.mooring.api.rules.pod;

import dev.mooring.api.rules.PersistentVolumeClaimRules;
import java.util.List;
import java.util.function.Consumer;

/**
 * A volume source with its validation.
 *
 * @param field name of the source in a volume
 * @param rules validation of its fields
 */
record PodVolumeSourceRule(String field, Consumer<FieldCursor> rules) {
    private static final int MAX_DRIVER_NAME_LENGTH = 63;
    private static final List<String> HOST_PATH_TYPES = List.of(
            "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket");

    /** In Kubernetes' order: of two sources, the latter is rejected. */
    static final List<PodVolumeSourceRule> ALL = List.of(
            new PodVolumeSourceRule("emptyDir", PodVolumeSourceRule::emptyDir),
            new PodVolumeSourceRule("hostPath", PodVolumeSourceRule::hostPath),
            new PodVolumeSourceRule("gitRepo", PodVolumeSourceRule::gitRepo),
            new PodVolumeSourceRule("gcePersistentDisk", CloudSourceRules::gcePersistentDisk),
            new PodVolumeSourceRule("awsElasticBlockStore", CloudSourceRules::awsElasticBlockStore),
            new PodVolumeSourceRule("secret", ProjectedSourceRules::secret),
            new PodVolumeSourceRule("nfs", PodVolumeSourceRule::nfs),
            new PodVolumeSourceRule("iscsi", NetworkSourceRules::iscsi),
            new PodVolumeSourceRule("glusterfs", NetworkSourceRules::glusterfs),
            new PodVolumeSourceRule("flocker", NetworkSourceRules::flocker),
            new PodVolumeSourceRule("persistentVolumeClaim", claim -> required(claim, "claimName")),
            new PodVolumeSourceRule("rbd", NetworkSourceRules::rbd),
            new PodVolumeSourceRule("cinder", CloudSourceRules::cinder),
            new PodVolumeSourceRule("cephfs", NetworkSourceRules::cephfs),
            new PodVolumeSourceRule("quobyte", NetworkSourceRules::quobyte),
            new PodVolumeSourceRule("downwardAPI", ProjectedSourceRules::downwardApi),
            new PodVolumeSourceRule("fc", NetworkSourceRules::fibreChannel),
            new PodVolumeSourceRule("flexVolume", NetworkSourceRules::flexVolume),
            new PodVolumeSourceRule("configMap", ProjectedSourceRules::configMap),
            new PodVolumeSourceRule("azureFile", CloudSourceRules::azureFile),
            new PodVolumeSourceRule("vsphereVolume", disk -> required(disk, "volumePath")),
            new PodVolumeSourceRule("photonPersistentDisk", disk -> required(disk, "pdID")),
            new PodVolumeSourceRule("portworxVolume", disk -> required(disk, "volumeID")),
            new PodVolumeSourceRule("azureDisk", CloudSourceRules::azureDisk),
            new PodVolumeSourceRule("storageos", NetworkSourceRules::storageos),
            new PodVolumeSourceRule("projected", ProjectedSourceRules::projected),
            new PodVolumeSourceRule("scaleIO", NetworkSourceRules::scaleIo),
            new PodVolumeSourceRule("csi", PodVolumeSourceRule::csi),
            new PodVolumeSourceRule("ephemeral", EphemeralClaimRules::ephemeral),
            new PodVolumeSourceRule("image", PodVolumeSourceRule::image));

    void check(FieldCursor source) {
        rules.accept(source);
    }

    static void required(FieldCursor source, String field) {
        FieldCursor at = source.at(field);
        if (at.text().isEmpty()) {
            at.required();
        }
    }

    private static void emptyDir(FieldCursor emptyDir) {
        FieldCursor limit = emptyDir.at("sizeLimit");
        if (limit.present() && Quantities.isNegative(limit.value())) {
            limit.forbidden("SizeLimit field must be a valid resource quantity");
        }
    }

    private static void hostPath(FieldCursor hostPath) {
        FieldCursor path = hostPath.at("path");
        if (path.text().isEmpty()) {
            path.required();
            return;
        }
        PathRules.noBacksteps(path);
        FieldCursor type = hostPath.at("type");
        if (type.present() && !HOST_PATH_TYPES.contains(type.text())) {
            type.notSupported(HOST_PATH_TYPES);
        }
    }

    private static void gitRepo(FieldCursor gitRepo) {
        required(gitRepo, "repository");
        PathRules.relativeWithoutBacksteps(gitRepo.at("directory"));
    }

    private static void nfs(FieldCursor nfs) {
        required(nfs, "server");
        required(nfs, "path");
        FieldCursor path = nfs.at("path");
        if (!path.text().startsWith("/")) {
            path.invalid(path.text(), "must be an absolute path");
        }
    }

    private static void csi(FieldCursor csi) {
        FieldCursor driver = csi.at("driver");
        if (driver.text().isEmpty()) {
            driver.required();
        } else {
            if (driver.text().length() > MAX_DRIVER_NAME_LENGTH) {
                driver.tooLong(MAX_DRIVER_NAME_LENGTH);
            }
            NameValidation.subdomainOfAnyCase(driver);
        }
        FieldCursor secret = csi.at("nodePublishSecretRef");
        if (secret.present()) {
            FieldCursor name = secret.at("name");
            if (name.text().isEmpty()) {
                name.required();
            } else {
                NameValidation.subdomain(name.reportedAt(csi.at("name")));
            }
        }
    }

    private static void image(FieldCursor image) {
        required(image, "reference");
        ContainerRules.checkPullPolicy(image.at("pullPolicy"));
    }

    /** Rules of ephemeral claims, which are created and deleted together with their Pod. Stateless. */
    private static final class EphemeralClaimRules {
        private EphemeralClaimRules() {}

        static void ephemeral(FieldCursor ephemeral) {
            FieldCursor template = ephemeral.at("volumeClaimTemplate");
            if (!template.present()) {
                template.required();
                return;
            }
            metadata(template.at("metadata"));
            FieldCursor spec = template.at("spec");
            PersistentVolumeClaimRules.validateSpec(spec.value(), spec.path(), spec.violations());
        }

        private static void metadata(FieldCursor metadata) {
            NameValidation.labels(metadata.at("labels"));
            for (FieldCursor field : metadata.entries()) {
                String name = field.name();
                if (!name.equals("labels") && !name.equals("annotations") && isSet(field)) {
                    metadata.at(name).forbidden("cannot be set");
                }
            }
        }

        private static boolean isSet(FieldCursor field) {
            return field.value().isContainerNode()
                    ? !field.value().isEmpty()
                    : field.present() && !field.value().asText().isEmpty();
        }
    }

    /** Rules of cloud provider disks. They cannot be mounted, but are validated as in Kubernetes. Stateless. */
    private static final class CloudSourceRules {
        private static final List<String> AZURE_CACHING = List.of("None", "ReadOnly", "ReadWrite");
        private static final List<String> AZURE_KINDS = List.of("Dedicated", "Managed", "Shared");
        private static final List<String> AZURE_MANAGED_URI = List.of(
                "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}");
        private static final List<String> AZURE_BLOB_URI =
                List.of("https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd");

        private CloudSourceRules() {}

        static void gcePersistentDisk(FieldCursor disk) {
            // Kubernetes' messages use this name.
            FieldCursor reported = disk.reportedAt(disk.sibling("persistentDisk"));
            required(reported, "pdName");
            partition(reported);
        }

        static void awsElasticBlockStore(FieldCursor disk) {
            required(disk, "volumeID");
            partition(disk);
        }

        private static void partition(FieldCursor disk) {
            FieldCursor partition = disk.at("partition");
            if (partition.number() < 0 || partition.number() > 255) {
                partition.invalid("must be between 1 and 255, inclusive");
            }
        }

        static void cinder(FieldCursor cinder) {
            required(cinder, "volumeID");
            if (cinder.has("secretRef")) {
                required(cinder.at("secretRef"), "name");
            }
        }

        static void azureFile(FieldCursor file) {
            required(file, "secretName");
            required(file, "shareName");
        }

        static void azureDisk(FieldCursor disk) {
            required(disk, "diskName");
            required(disk, "diskURI");
            oneOf(disk.at("cachingMode"), AZURE_CACHING);
            oneOf(disk.at("kind"), AZURE_KINDS);
            FieldCursor uri = disk.at("diskURI");
            if (disk.text("kind").equals("Managed")) {
                if (!uri.text().startsWith("/subscriptions/")) {
                    uri.notSupported(AZURE_MANAGED_URI);
                }
            } else if (disk.has("kind") && !uri.text().startsWith("https://")) {
                uri.notSupported(AZURE_BLOB_URI);
            }
        }

        private static void oneOf(FieldCursor choice, List<String> supported) {
            if (choice.present() && !supported.contains(choice.text())) {
                choice.notSupported(supported);
            }
        }
    }
}
