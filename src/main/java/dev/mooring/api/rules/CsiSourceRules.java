package dev.mooring.api.rules;

import java.util.Locale;

/** Rules of CSI volume sources. Stateless; thread-safe. */
final class CsiSourceRules {
    private static final int DRIVER_MAX = 63;

    private CsiSourceRules() {}

    static void validate(CheckedVolumeSource source) {
        driverName(source.text("driver"), source.at("driver"), source.violations());
        source.require("volumeHandle");
        secret(source, "controllerPublishSecretRef");
        secret(source, "controllerExpandSecretRef");
        secret(source, "nodePublishSecretRef");
        secret(source, "nodeExpandSecretRef");
    }

    /** Validates the name of a CSI driver: a domain name, case-insensitive. */
    static void driverName(String driver, String path, Violations violations) {
        if (driver.isEmpty()) {
            violations.required(path, "");
        }
        if (driver.length() > DRIVER_MAX) {
            violations.tooLong(path, DRIVER_MAX);
        }
        LabelRules.invalid(path, driver, NameSyntax.dns1123Subdomain(driver.toLowerCase(Locale.ROOT)), violations);
    }

    private static void secret(CheckedVolumeSource source, String field) {
        if (!source.has(field)) {
            return;
        }
        source.secretNamed(field, "name", "namespace");
        String name = JsonFields.text(source.get(field), "name");
        String namespace = JsonFields.text(source.get(field), "namespace");
        if (!name.isEmpty()) {
            LabelRules.invalid(
                    source.at(field) + ".name", name, NameSyntax.dns1123Subdomain(name), source.violations());
        }
        if (!namespace.isEmpty()) {
            LabelRules.invalid(
                    source.at(field) + ".namespace",
                    namespace,
                    NameSyntax.dns1123Label(namespace),
                    source.violations());
        }
    }
}
