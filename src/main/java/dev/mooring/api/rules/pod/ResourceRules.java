package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Set;

/** Rules of resource requests and limits. Stateless. */
final class ResourceRules {
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

    private ResourceRules() {}

    /** @param resources with {@code limits} and {@code requests} */
    static void check(FieldCursor resources) {
        check(resources, ResourceRules::nameForContainer);
    }

    /** Validates the resources of the whole Pod. */
    static void checkOfPod(FieldCursor resources) {
        if (resources.has("claims")) {
            resources.at("claims").forbidden("claims may not be set for Resources at pod-level");
        }
        check(resources, ResourceRules::nameForPod);
    }

    /** Validates the overhead, the runtime's own resources besides the containers'. */
    static void checkOverhead(FieldCursor overhead) {
        for (FieldCursor amount : overhead.entries()) {
            FieldCursor reported = amount.reportedAt(overhead.at("limits").key(amount.name()));
            nameForContainer(reported, amount.name());
            quantity(reported, amount.name());
        }
    }

    private interface NameRule {
        void check(FieldCursor at, String name);
    }

    private static void check(FieldCursor resources, NameRule nameRule) {
        FieldCursor limits = resources.at("limits");
        FieldCursor requests = resources.at("requests");
        boolean huge = false;
        boolean compute = false;
        for (FieldCursor limit : limits.entries()) {
            nameRule.check(limit, limit.name());
            quantity(limit, limit.name());
            huge |= limit.name().startsWith(HUGE_PAGES);
            compute |= isCompute(limit.name());
        }
        for (FieldCursor request : requests.entries()) {
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

    private static void within(
            JsonNode request, JsonNode limit, String name, FieldCursor requests, FieldCursor limits) {
        if (limit.isMissingNode() || limit.isNull()) {
            if (!mayBeOvercommitted(name)) {
                limits.required("Limit must be set for non overcommitable resources");
            }
            return;
        }
        int order = Quantities.compare(request, limit);
        if (order != 0 && !mayBeOvercommitted(name)) {
            requests.invalid(
                    Quantities.canonical(request),
                    "must be equal to " + name + " limit of " + Quantities.canonical(limit));
        } else if (order > 0) {
            requests.invalid(
                    Quantities.canonical(request),
                    "must be less than or equal to " + name + " limit of " + Quantities.canonical(limit));
        }
    }

    private static void quantity(FieldCursor amount, String name) {
        if (Quantities.isNegative(amount.value())) {
            amount.invalid(Quantities.canonical(amount.value()), "must be greater than or equal to 0");
        }
        if (isExtended(name) && !Quantities.isWhole(amount.value())) {
            amount.invalid("must be an integer");
        }
        if (name.startsWith(HUGE_PAGES)
                && !Quantities.isMultiple(amount.value(), name.substring(HUGE_PAGES.length()))) {
            String shown = Quantities.canonical(amount.value());
            amount.invalid(shown, shown + " is not positive integer multiple of " + name);
        }
    }

    private static void nameForContainer(FieldCursor at, String name) {
        NameValidation.qualifiedName(at, name);
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

    private static void nameForPod(FieldCursor at, String name) {
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
