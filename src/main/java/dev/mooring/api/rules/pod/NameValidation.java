package dev.mooring.api.rules.pod;

import dev.mooring.api.rules.LabelRules;
import dev.mooring.api.rules.NameSyntax;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** Adds errors for invalid names. Stateless. */
final class NameValidation {
    private NameValidation() {}

    static void label(FieldCursor name) {
        NameSyntax.dns1123Label(name.text()).forEach(problem -> name.invalid(name.text(), problem));
    }

    static void subdomain(FieldCursor name) {
        NameSyntax.dns1123Subdomain(name.text()).forEach(problem -> name.invalid(name.text(), problem));
    }

    static void subdomain(String name, Consumer<String> complaint) {
        NameSyntax.dns1123Subdomain(name).forEach(complaint);
    }

    /** Validates the name of a driver, which is case-insensitive. */
    static void subdomainOfAnyCase(FieldCursor name) {
        NameSyntax.dns1123Subdomain(name.text().toLowerCase(Locale.ROOT)).forEach(name::invalid);
    }

    static void qualifiedName(FieldCursor name) {
        qualifiedName(name, name.text());
    }

    static void qualifiedName(FieldCursor at, String name) {
        NameSyntax.qualifiedName(name).forEach(problem -> at.invalid(name, problem));
    }

    static void configMapKey(FieldCursor key) {
        NameSyntax.configMapKey(key.text()).forEach(key::invalid);
    }

    static void environmentName(FieldCursor name) {
        NameSyntax.environmentName(name.text()).forEach(name::invalid);
    }

    /** @return whether the name is valid */
    static boolean portName(FieldCursor name) {
        List<String> problems = NameSyntax.portName(name.text());
        problems.forEach(name::invalid);
        return problems.isEmpty();
    }

    static List<String> problemsOfLabelValue(String value) {
        return NameSyntax.labelValue(value);
    }

    /** Validates a map of labels. */
    static void labels(FieldCursor labels) {
        if (labels.present()) {
            LabelRules.labels(labels.value(), labels.path(), labels.violations());
        }
    }

    static void labelSelector(FieldCursor selector) {
        if (selector.present()) {
            LabelRules.selector(selector.value(), selector.path(), selector.violations());
        }
    }
}
