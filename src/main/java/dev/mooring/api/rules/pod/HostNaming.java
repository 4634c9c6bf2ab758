package dev.mooring.api.rules.pod;

import dev.mooring.api.rules.Names;
import java.util.List;

/** The names a Pod has and knows in its network, and the network itself where it is the host's. Stateless. */
final class HostNaming {
    private static final List<String> POLICIES = List.of("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None");
    private static final int MOST_NAMESERVERS = 3;
    private static final int MOST_SEARCHES = 32;
    private static final int LONGEST_SEARCHES = 2048;
    private static final int LONGEST_HOST_NAME = 64;
    private static final String NO_ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

    private HostNaming() {}

    /** On the host's network a port inside is one outside. */
    static void checkHostNetwork(Spot spec) {
        if (!spec.flag("hostNetwork")) {
            return;
        }
        for (Spot container : spec.each("containers")) {
            for (Spot port : container.each("ports")) {
                if (port.number("hostPort") != port.number("containerPort")) {
                    port.at("hostPort").invalid("must match `containerPort` when `hostNetwork` is true");
                }
            }
        }
    }

    static void checkDnsPolicy(Spot policy) {
        if (policy.text().isEmpty()) {
            policy.required();
        } else if (!POLICIES.contains(policy.text())) {
            policy.notSupported(POLICIES);
        }
    }

    static void checkDnsConfig(Spot spec) {
        Spot config = spec.at("dnsConfig");
        Spot servers = config.at("nameservers");
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
        if (servers.value().size() > MOST_NAMESERVERS) {
            servers.invalid("must not have more than " + MOST_NAMESERVERS + " nameservers");
        }
        servers.each().forEach(HostNaming::checkAddress);
        checkSearches(config.at("searches"));
        for (Spot option : config.each("options")) {
            if (option.text("name").isEmpty()) {
                option.required("must not be empty");
            }
        }
    }

    private static void checkSearches(Spot searches) {
        if (searches.value().size() > MOST_SEARCHES) {
            searches.invalid("must not have more than " + MOST_SEARCHES + " search paths");
        }
        int length = searches.value().size() - 1;
        for (Spot search : searches.each()) {
            length += search.text().length();
        }
        if (length > LONGEST_SEARCHES) {
            searches.invalid("must not have more than " + LONGEST_SEARCHES
                    + " characters (including spaces) in the search list");
        }
        for (Spot search : searches.each()) {
            String path = search.text();
            if (!path.equals(".")) {
                String domain = path.endsWith(".") ? path.substring(0, path.length() - 1) : path;
                // Kubernetes 1.34 and later let underscores be here.
                Names.dns1123Subdomain(domain.replace('_', 'a')).forEach(problem -> search.invalid(domain, problem));
            }
        }
    }

    static void checkHostAliases(Spot aliases) {
        for (Spot alias : aliases.each()) {
            checkAddress(alias.at("ip"));
            alias.each("hostnames").forEach(Spelled::subdomain);
        }
    }

    private static void checkAddress(Spot address) {
        checkAddress(address, address.text());
    }

    static void checkAddress(Spot at, String address) {
        if (!Addresses.isAddress(address)) {
            at.invalid(address, NO_ADDRESS);
        }
    }

    static void checkHostName(Spot spec) {
        Spot name = spec.at("hostname");
        if (!name.text().isEmpty()) {
            Spelled.label(name);
        }
        Spot subdomain = spec.at("subdomain");
        if (!subdomain.text().isEmpty()) {
            Spelled.label(subdomain);
        }
    }

    static void checkHostNameOverride(Spot spec) {
        Spot override = spec.at("hostnameOverride");
        if (!override.present()) {
            return;
        }
        if (spec.flag("setHostnameAsFQDN")) {
            override.forbidden("may not be specified when setHostnameAsFQDN is true");
        }
        if (spec.flag("hostNetwork")) {
            override.forbidden("may not be specified when hostNetwork is true");
        }
        if (override.text().length() > LONGEST_HOST_NAME) {
            override.tooLong(LONGEST_HOST_NAME);
        }
        Spelled.subdomain(override);
    }
}
