package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Set;

/** How much of a machine is asked for, and how much may be used at most. Stateless. */
final class Resources {
    private static final String HUGE_PAGES = "hugepages-";
    private static final Set<String> OF_CONTAINERS = Set.of("cpu", "memory", "ephemeral-storage");
    private static final Set<String> STANDARD = Set.of(
            "cpu",
            "memory",
            "ephemeral-storage",
            "requests.cpu",
            "requests.memory",
            "requests.ephemeral-storage",
            "limits.cpu",
            "limits.memory",
            "limits.ephemeral-storage",
            "pods",
            "resourcequotas",
            "services",
            "replicationcontrollers",
            "secrets",
            "persistentvolumeclaims",
            "configmaps",
            "storage");
    private static final List<String> OF_PODS = List.of("cpu", "hugepages-", "memory");

    private Resources() {}

    /** @param resources with {@code limits} and {@code requests} */
    static void check(Spot resources) {
        check(resources, Resources::nameForContainer);
    }

    /** The same for a Pod as a whole. */
    static void checkOfPod(Spot resources) {
        if (resources.has("claims")) {
            resources.at("claims").forbidden("claims may not be set for Resources at pod-level");
        }
        check(resources, Resources::nameForPod);
    }

    /** What the runtime needs besides the containers. */
    static void checkOverhead(Spot overhead) {
        for (Spot amount : overhead.entries()) {
            Spot reported = amount.reportedAt(overhead.at("limits").key(amount.name()));
            nameForContainer(reported, amount.name());
            quantity(reported, amount.name());
        }
    }

    private interface NameRule {
        void check(Spot at, String name);
    }

    private static void check(Spot resources, NameRule nameRule) {
        Spot limits = resources.at("limits");
        Spot requests = resources.at("requests");
        boolean huge = false;
        boolean compute = false;
        for (Spot limit : limits.entries()) {
            nameRule.check(limit, limit.name());
            quantity(limit, limit.name());
            huge |= limit.name().startsWith(HUGE_PAGES);
            compute |= isCompute(limit.name());
        }
        for (Spot request : requests.entries()) {
            String name = request.name();
            nameRule.check(request, name);
            quantity(request, name);
            within(request.value(), limits.value().path(name), name, requests, limits);
            huge |= name.startsWith(HUGE_PAGES);
            compute |= isCompute(name);
        }
        if (huge && !compute) {
            resources.forbidden("HugePages require cpu or memory");
        }
    }

    private static void within(JsonNode request, JsonNode limit, String name, Spot requests, Spot limits) {
        if (limit.isMissingNode() || limit.isNull()) {
            if (!mayBeOvercommitted(name)) {
                limits.required("Limit must be set for non overcommitable resources");
            }
            return;
        }
        int order = Amounts.compare(request, limit);
        if (order != 0 && !mayBeOvercommitted(name)) {
            requests.invalid(
                    Amounts.canonical(request), "must be equal to " + name + " limit of " + Amounts.canonical(limit));
        } else if (order > 0) {
            requests.invalid(
                    Amounts.canonical(request),
                    "must be less than or equal to " + name + " limit of " + Amounts.canonical(limit));
        }
    }

    private static void quantity(Spot amount, String name) {
        if (Amounts.isNegative(amount.value())) {
            amount.invalid(Amounts.canonical(amount.value()), "must be greater than or equal to 0");
        }
        if (isExtended(name) && !Amounts.isWhole(amount.value())) {
            amount.invalid("must be an integer");
        }
        if (name.startsWith(HUGE_PAGES) && !Amounts.isMultiple(amount.value(), name.substring(HUGE_PAGES.length()))) {
            String shown = Amounts.canonical(amount.value());
            amount.invalid(shown, shown + " is not positive integer multiple of " + name);
        }
    }

    private static void nameForContainer(Spot at, String name) {
        Spelled.qualifiedName(at, name);
        if (name.indexOf('/') < 0) {
            boolean huge = name.startsWith(HUGE_PAGES);
            if (!huge && !STANDARD.contains(name)) {
                at.invalid(name, "must be a standard resource type or fully qualified");
            }
            if (!huge && !OF_CONTAINERS.contains(name)) {
                at.invalid(name, "must be a standard resource for containers");
            }
        } else if (!isNative(name) && !isExtended(name)) {
            at.invalid(name, "doesn't follow extended resource name standard");
        }
    }

    private static void nameForPod(Spot at, String name) {
        if (!isCompute(name) && !name.startsWith(HUGE_PAGES)) {
            at.notSupported(name, OF_PODS);
        }
    }

    private static boolean isCompute(String name) {
        return name.equals("cpu") || name.equals("memory");
    }

    private static boolean isNative(String name) {
        return name.indexOf('/') < 0 || name.contains("kubernetes.io/");
    }

    private static boolean isExtended(String name) {
        return !isNative(name) && !name.startsWith("requests.");
    }

    private static boolean mayBeOvercommitted(String name) {
        return isNative(name) && !name.startsWith(HUGE_PAGES);
    }
}
