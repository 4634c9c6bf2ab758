package dev.mooring.api.rules.pod;

import dev.mooring.api.rules.NameSyntax;
import java.util.List;

/** Rules of a Pod's host names, DNS configuration and host network. Stateless. */
final class HostNameRules {
    private static final List<String> POLICIES = List.of("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None");
    private static final int MAX_NAMESERVERS = 3;
    private static final int MAX_SEARCHES = 32;
    private static final int MAX_SEARCHES_LENGTH = 2048;
    private static final int MAX_HOST_NAME_LENGTH = 64;
    private static final String NO_ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

    private HostNameRules() {}

    /** Requires equal container and host ports on the host network. */
    static void checkHostNetwork(FieldCursor spec) {
        if (!spec.flag("hostNetwork")) {
            return;
        }
        for (FieldCursor container : spec.each("containers")) {
            for (FieldCursor port : container.each("ports")) {
                if (port.number("hostPort") != port.number("containerPort")) {
                    port.at("hostPort").invalid("must match `containerPort` when `hostNetwork` is true");
                }
            }
        }
    }

    static void checkDnsPolicy(FieldCursor policy) {
        if (policy.text().isEmpty()) {
            policy.required();
        } else if (!POLICIES.contains(policy.text())) {
            policy.notSupported(POLICIES);
        }
    }

    static void checkDnsConfig(FieldCursor spec) {
        FieldCursor config = spec.at("dnsConfig");
        FieldCursor servers = config.at("nameservers");
        if (spec.text("dnsPolicy").equals("None")) {
            if (!config.present()) {
                config.required("must provide `dnsConfig` when `dnsPolicy` is None");
                return;
            }
            if (servers.value().isEmpty()) {
                servers.required("must provide at least one DNS nameserver when `dnsPolicy` is None");
                return;
            }
        }
        if (servers.value().size() > MAX_NAMESERVERS) {
            servers.invalid("must not have more than " + MAX_NAMESERVERS + " nameservers");
        }
        servers.each().forEach(HostNameRules::checkAddress);
        checkSearches(config.at("searches"));
        for (FieldCursor option : config.each("options")) {
            if (option.text("name").isEmpty()) {
                option.required("must not be empty");
            }
        }
    }

    private static void checkSearches(FieldCursor searches) {
        if (searches.value().size() > MAX_SEARCHES) {
            searches.invalid("must not have more than " + MAX_SEARCHES + " search paths");
        }
        int length = searches.value().size() - 1;
        for (FieldCursor search : searches.each()) {
            length += search.text().length();
        }
        if (length > MAX_SEARCHES_LENGTH) {
            searches.invalid("must not have more than " + MAX_SEARCHES_LENGTH
                    + " characters (including spaces) in the search list");
        }
        for (FieldCursor search : searches.each()) {
            String path = search.text();
            if (!path.equals(".")) {
                String domain = path.endsWith(".") ? path.substring(0, path.length() - 1) : path;
                // Kubernetes 1.34 and later accept underscores here.
                NameSyntax.dns1123Subdomain(domain.replace('_', 'a'))
                        .forEach(problem -> search.invalid(domain, problem));
            }
        }
    }

    static void checkHostAliases(FieldCursor aliases) {
        for (FieldCursor alias : aliases.each()) {
            checkAddress(alias.at("ip"));
            alias.each("hostnames").forEach(NameValidation::subdomain);
        }
    }

    private static void checkAddress(FieldCursor address) {
        checkAddress(address, address.text());
    }

    static void checkAddress(FieldCursor at, String address) {
        if (!IpAddresses.isAddress(address)) {
            at.invalid(address, NO_ADDRESS);
        }
    }

    static void checkHostName(FieldCursor spec) {
        FieldCursor name = spec.at("hostname");
        if (!name.text().isEmpty()) {
            NameValidation.label(name);
        }
        FieldCursor subdomain = spec.at("subdomain");
        if (!subdomain.text().isEmpty()) {
            NameValidation.label(subdomain);
        }
    }

    static void checkHostNameOverride(FieldCursor spec) {
        FieldCursor override = spec.at("hostnameOverride");
        if (!override.present()) {
            return;
        }
        if (spec.flag("setHostnameAsFQDN")) {
            override.forbidden("may not be specified when setHostnameAsFQDN is true");
        }
        if (spec.flag("hostNetwork")) {
            override.forbidden("may not be specified when hostNetwork is true");
        }
        if (override.text().length() > MAX_HOST_NAME_LENGTH) {
            override.tooLong(MAX_HOST_NAME_LENGTH);
        }
        NameValidation.subdomain(override);
    }
}
