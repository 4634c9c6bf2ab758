package dev.mooring.api.rules.pod;

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
}
