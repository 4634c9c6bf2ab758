package dev.mooring.control.provision;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.provision.ClassParameters;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a claim can ask for that a class cannot give, whatever the nodes. The words are Kubernetes', with a way out behind them. Pure. */
final class Refusals {
    private Refusals() {}

    /** Why no volume can be made; nothing if one can. */
    static Optional<String> of(Claim claim, StorageClass storageClass) {
        String provisioner = storageClass.provisioner();
        if (!ClassParameters.isKnownProvisioner(provisioner)) {
            return Optional.of("no volume plugin matched name: " + provisioner + "; the provisioner "
                    + ClassParameters.unknownProvisioner(provisioner));
        }
        if (claim.hasDataSource()) {
            return Optional.of("plugin \"" + provisioner
                    + "\" is not a CSI plugin. Only CSI plugin can provision a claim with a datasource; next: create"
                    + " the claim without dataSource and copy the data into it");
        }
        if (claim.selector().isPresent()) {
            return Optional.of(
                    "claim.spec.selector is not supported for dynamic provisioning; next: create the claim without"
                            + " selector, or a PersistentVolume with these labels and class \"" + storageClass.name()
                            + '"');
        }
        if (!claim.attributesClass().isEmpty()) {
            return Optional.of("volumeAttributesClassName is not supported by " + provisioner
                    + "; next: create the claim without it");
        }
        List<String> options = storageClass.mountOptions();
        if (!options.isEmpty() && !provisioner.equals(StorageNames.NFS_PROVISIONER)) {
            return Optional.of("Mount options are not supported by the provisioner but StorageClass \""
                    + storageClass.name() + "\" has mount options " + list(options));
        }
        return modes(claim, provisioner).or(() -> parameters(storageClass));
    }

    private static Optional<String> modes(Claim claim, String provisioner) {
        boolean block = provisioner.equals(StorageNames.BLOCK_PROVISIONER);
        if (claim.mode() == VolumeMode.BLOCK && !block) {
            return Optional.of(
                    provisioner + " does not support block volume provisioning; next: use volumeMode Filesystem, or"
                            + " a class with the provisioner " + StorageNames.BLOCK_PROVISIONER);
        }
        // Two mounts of one file system destroy it; a device may be shared by those who know what they do.
        if (block
                && claim.mode() == VolumeMode.FILESYSTEM
                && claim.accessModes().allowsManyNodes()) {
            List<String> asked = new ArrayList<>();
            for (JsonNode each : claim.spec().path("accessModes")) {
                asked.add(each.asText(""));
            }
            return Optional.of("invalid AccessModes " + list(asked)
                    + ": only AccessModes [ReadWriteOnce ReadWriteOncePod] are supported; next: use one of them, or a"
                    + " class with the provisioner " + StorageNames.NFS_PROVISIONER);
        }
        return Optional.empty();
    }

    /** A class may be older than the rules for its parameters. */
    private static Optional<String> parameters(StorageClass storageClass) {
        return ClassParameters.problems(
                        storageClass.provisioner(), storageClass.parameters(), storageClass.reclaimPolicy())
                .stream()
                .findFirst()
                .map(problem -> "StorageClass \"" + storageClass.name() + "\": parameters[" + problem.key()
                        + "]: Invalid value: \"" + problem.value() + "\": " + problem.message());
    }

    /** As Go writes a list. */
    private static String list(List<String> texts) {
        return '[' + String.join(" ", texts) + ']';
    }
}
