package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClassParameters;
import dev.mooring.model.view.SourceType;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.VolumeMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Checks a claim's request against its class, independent of the nodes. Messages have Kubernetes' wording, followed by
 * a remedy. Pure.
 */
final class ProvisioningValidation {
    private ProvisioningValidation() {}

    /** Returns why no volume can be provisioned; empty if it can. */
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
        if (!options.isEmpty() && !is(provisioner, SourceType::takesMountOptions)) {
            return Optional.of("Mount options are not supported by the provisioner but StorageClass \""
                    + storageClass.name() + "\" has mount options " + list(options));
        }
        return modes(claim, provisioner).or(() -> parameters(storageClass));
    }

    private static Optional<String> modes(Claim claim, String provisioner) {
        boolean block = is(provisioner, SourceType::isDevice);
        if (claim.mode() == VolumeMode.BLOCK && !block) {
            return Optional.of(
                    provisioner + " does not support block volume provisioning; next: use volumeMode Filesystem, or"
                            + " a class with the provisioner " + SourceTypes.provisionerWith(SourceType::isDevice));
        }
        // Mounting one file system twice corrupts it; a raw block device may be shared by cooperating applications.
        if (block
                && claim.mode() == VolumeMode.FILESYSTEM
                && claim.accessModes().allowsManyNodes()) {
            List<String> requested = new ArrayList<>();
            for (JsonNode each : claim.spec().path("accessModes")) {
                requested.add(each.asText(""));
            }
            return Optional.of("invalid AccessModes " + list(requested)
                    + ": only AccessModes [ReadWriteOnce ReadWriteOncePod] are supported; next: use one of them, or a"
                    + " class with the provisioner " + SourceTypes.provisionerWith(type -> !type.isNodeBound()));
        }
        return Optional.empty();
    }

    private static boolean is(String provisioner, Predicate<SourceType> condition) {
        return SourceTypes.ofProvisioner(provisioner).filter(condition).isPresent();
    }

    /** Validates the class's parameters; the class may be older than the validation rules. */
    private static Optional<String> parameters(StorageClass storageClass) {
        return ClassParameters.problems(
                        storageClass.provisioner(), storageClass.parameters(), storageClass.reclaimPolicy())
                .stream()
                .findFirst()
                .map(problem -> "StorageClass \"" + storageClass.name() + "\": parameters[" + problem.key()
                        + "]: Invalid value: \"" + problem.value() + "\": " + problem.message());
    }

    /** Formats a list as Go does. */
    private static String list(List<String> texts) {
        return '[' + String.join(" ", texts) + ']';
    }
}
