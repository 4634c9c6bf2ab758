package dev.mooring.api.rules.pod;

import dev.mooring.api.rules.LabelRules;
import dev.mooring.api.rules.Names;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** Complains about names that are not spelled as they must be. Stateless. */
final class Spelled {
    private Spelled() {}

    static void label(Spot name) {
        Names.dns1123Label(name.text()).forEach(problem -> name.invalid(name.text(), problem));
    }

    static void subdomain(Spot name) {
        Names.dns1123Subdomain(name.text()).forEach(problem -> name.invalid(name.text(), problem));
    }

    static void subdomain(String name, Consumer<String> complaint) {
        Names.dns1123Subdomain(name).forEach(complaint);
    }

    /** Names of drivers, which are compared without regard to case. */
    static void subdomainOfAnyCase(Spot name) {
        Names.dns1123Subdomain(name.text().toLowerCase(Locale.ROOT)).forEach(name::invalid);
    }

    static void qualifiedName(Spot name) {
        qualifiedName(name, name.text());
    }

    static void qualifiedName(Spot at, String name) {
        Names.qualifiedName(name).forEach(problem -> at.invalid(name, problem));
    }

    static void configMapKey(Spot key) {
        Names.configMapKey(key.text()).forEach(key::invalid);
    }

    static void environmentName(Spot name) {
        Names.environmentName(name.text()).forEach(name::invalid);
    }

    /** @return whether it is a good one */
    static boolean portName(Spot name) {
        List<String> problems = Names.portName(name.text());
        problems.forEach(name::invalid);
        return problems.isEmpty();
    }

    static List<String> problemsOfLabelValue(String value) {
        return Names.labelValue(value);
    }

    /** A map of labels. */
    static void labels(Spot labels) {
        if (labels.present()) {
            LabelRules.labels(labels.value(), labels.path(), labels.violations());
        }
    }

    static void labelSelector(Spot selector) {
        if (selector.present()) {
            LabelRules.selector(selector.value(), selector.path(), selector.violations());
        }
    }
}
