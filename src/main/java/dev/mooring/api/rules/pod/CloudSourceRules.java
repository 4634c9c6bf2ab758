package dev.mooring.api.rules.pod;

import static dev.mooring.api.rules.pod.PodVolumeSourceRule.required;

import java.util.List;

/** Rules of cloud provider disks. They cannot be mounted, but are validated as in Kubernetes. Stateless. */
final class CloudSourceRules {
    private static final List<String> AZURE_CACHING = List.of("None", "ReadOnly", "ReadWrite");
    private static final List<String> AZURE_KINDS = List.of("Dedicated", "Managed", "Shared");
    private static final List<String> AZURE_MANAGED_URI =
            List.of("/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}");
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
