package dev.mooring.api.rules;

import dev.mooring.api.kind.Violations;
import java.util.Locale;

/** Rules of a volume that a CSI driver brings. Stateless; any thread. */
final class CsiSource {
    private static final int DRIVER_MAX = 63;

    private CsiSource() {}

    static void validate(VolumeSource source) {
        driverName(source.text("driver"), source.at("driver"), source.violations());
        source.require("volumeHandle");
        secret(source, "controllerPublishSecretRef");
        secret(source, "controllerExpandSecretRef");
        secret(source, "nodePublishSecretRef");
        secret(source, "nodeExpandSecretRef");
    }

    /** The name of a CSI driver: a domain name, in any case. */
    static void driverName(String driver, String path, Violations violations) {
        if (driver.isEmpty()) {
            violations.required(path, "");
        }
        if (driver.length() > DRIVER_MAX) {
            violations.tooLong(path, DRIVER_MAX);
        }
        LabelRules.invalid(path, driver, Names.dns1123Subdomain(driver.toLowerCase(Locale.ROOT)), violations);
    }

    private static void secret(VolumeSource source, String field) {
        if (!source.has(field)) {
            return;
        }
        source.secretNamed(field, "name", "namespace");
        String name = Fields.text(source.get(field), "name");
        String namespace = Fields.text(source.get(field), "namespace");
        if (!name.isEmpty()) {
            LabelRules.invalid(source.at(field) + ".name", name, Names.dns1123Subdomain(name), source.violations());
        }
        if (!namespace.isEmpty()) {
            LabelRules.invalid(
                    source.at(field) + ".namespace", namespace, Names.dns1123Label(namespace), source.violations());
        }
    }
}
