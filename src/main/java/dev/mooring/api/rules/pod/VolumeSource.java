package dev.mooring.api.rules.pod;

import java.util.List;
import java.util.function.Consumer;

/**
 * A kind of volume, and what is demanded of one.
 *
 * @param field by which a volume names it
 * @param rules what its own fields must be
 */
record VolumeSource(String field, Consumer<Spot> rules) {
    private static final int LONGEST_DRIVER_NAME = 63;
    private static final List<String> HOST_PATH_TYPES = List.of(
            "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket");

    /** In the order in which Kubernetes looks for them: of two, the latter is refused. */
    static final List<VolumeSource> ALL = List.of(
            new VolumeSource("emptyDir", VolumeSource::emptyDir),
            new VolumeSource("hostPath", VolumeSource::hostPath),
            new VolumeSource("gitRepo", VolumeSource::gitRepo),
            new VolumeSource("gcePersistentDisk", CloudSources::gcePersistentDisk),
            new VolumeSource("awsElasticBlockStore", CloudSources::awsElasticBlockStore),
            new VolumeSource("secret", ProjectedSources::secret),
            new VolumeSource("nfs", VolumeSource::nfs),
            new VolumeSource("iscsi", NetworkSources::iscsi),
            new VolumeSource("glusterfs", NetworkSources::glusterfs),
            new VolumeSource("flocker", NetworkSources::flocker),
            new VolumeSource("persistentVolumeClaim", claim -> required(claim, "claimName")),
            new VolumeSource("rbd", NetworkSources::rbd),
            new VolumeSource("cinder", CloudSources::cinder),
            new VolumeSource("cephfs", NetworkSources::cephfs),
            new VolumeSource("quobyte", NetworkSources::quobyte),
            new VolumeSource("downwardAPI", ProjectedSources::downwardApi),
            new VolumeSource("fc", NetworkSources::fibreChannel),
            new VolumeSource("flexVolume", NetworkSources::flexVolume),
            new VolumeSource("configMap", ProjectedSources::configMap),
            new VolumeSource("azureFile", CloudSources::azureFile),
            new VolumeSource("vsphereVolume", disk -> required(disk, "volumePath")),
            new VolumeSource("photonPersistentDisk", disk -> required(disk, "pdID")),
            new VolumeSource("portworxVolume", disk -> required(disk, "volumeID")),
            new VolumeSource("azureDisk", CloudSources::azureDisk),
            new VolumeSource("storageos", NetworkSources::storageos),
            new VolumeSource("projected", ProjectedSources::projected),
            new VolumeSource("scaleIO", NetworkSources::scaleIo),
            new VolumeSource("csi", VolumeSource::csi),
            new VolumeSource("ephemeral", ClaimTemplates::ephemeral),
            new VolumeSource("image", VolumeSource::image));

    void check(Spot source) {
        rules.accept(source);
    }

    static void required(Spot source, String field) {
        Spot at = source.at(field);
        if (at.text().isEmpty()) {
            at.required();
        }
    }

    private static void emptyDir(Spot emptyDir) {
        Spot limit = emptyDir.at("sizeLimit");
        if (limit.present() && Amounts.isNegative(limit.value())) {
            limit.forbidden("SizeLimit field must be a valid resource quantity");
        }
    }

    private static void hostPath(Spot hostPath) {
        Spot path = hostPath.at("path");
        if (path.text().isEmpty()) {
            path.required();
            return;
        }
        Paths.noBacksteps(path);
        Spot type = hostPath.at("type");
        if (type.present() && !HOST_PATH_TYPES.contains(type.text())) {
            type.notSupported(HOST_PATH_TYPES);
        }
    }

    private static void gitRepo(Spot gitRepo) {
        required(gitRepo, "repository");
        Paths.descending(gitRepo.at("directory"));
    }

    private static void nfs(Spot nfs) {
        required(nfs, "server");
        required(nfs, "path");
        Spot path = nfs.at("path");
        if (!path.text().startsWith("/")) {
            path.invalid(path.text(), "must be an absolute path");
        }
    }

    private static void csi(Spot csi) {
        Spot driver = csi.at("driver");
        if (driver.text().isEmpty()) {
            driver.required();
        } else {
            if (driver.text().length() > LONGEST_DRIVER_NAME) {
                driver.tooLong(LONGEST_DRIVER_NAME);
            }
            Spelled.subdomainOfAnyCase(driver);
        }
        Spot secret = csi.at("nodePublishSecretRef");
        if (secret.present()) {
            Spot name = secret.at("name");
            if (name.text().isEmpty()) {
                name.required();
            } else {
                Spelled.subdomain(name.reportedAt(csi.at("name")));
            }
        }
    }

    private static void image(Spot image) {
        required(image, "reference");
        Containers.checkPullPolicy(image.at("pullPolicy"));
    }
}
