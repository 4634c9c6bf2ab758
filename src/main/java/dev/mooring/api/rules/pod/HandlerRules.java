package dev.mooring.api.rules.pod;

import java.util.List;

/** Rules of probes and lifecycle hooks. Stateless. */
final class HandlerRules {
    private static final List<String> OF_PROBES = List.of("exec", "httpGet", "tcpSocket", "grpc");
    private static final List<String> OF_HOOKS = List.of("exec", "httpGet", "tcpSocket", "sleep");
    private static final List<String> SCHEMES = List.of("HTTP", "HTTPS");
    private static final String MUST_BE_ONE = "must be 1";

    private HandlerRules() {}

    /** @param gracePeriod of the Pod; may be missing */
    static void check(FieldCursor container, FieldCursor gracePeriod) {
        FieldCursor lifecycle = container.at("lifecycle");
        hook(lifecycle.at("postStart"), gracePeriod);
        hook(lifecycle.at("preStop"), gracePeriod);
        FieldCursor liveness = container.at("livenessProbe");
        if (liveness.present()) {
            probe(liveness, gracePeriod);
            succeedsAtOnce(liveness);
        }
        FieldCursor readiness = container.at("readinessProbe");
        if (readiness.present()) {
            probe(readiness, gracePeriod);
            if (readiness.has("terminationGracePeriodSeconds")) {
                readiness.at("terminationGracePeriodSeconds").invalid("must not be set for readinessProbes");
            }
        }
        FieldCursor startup = container.at("startupProbe");
        if (startup.present()) {
            probe(startup, gracePeriod);
            succeedsAtOnce(startup);
        }
    }

    private static void hook(FieldCursor hook, FieldCursor gracePeriod) {
        if (hook.present()) {
            handler(hook, OF_HOOKS, gracePeriod);
        }
    }

    private static void probe(FieldCursor probe, FieldCursor gracePeriod) {
        handler(probe, OF_PROBES, gracePeriod);
        NumberRules.nonNegative(probe.at("initialDelaySeconds"));
        NumberRules.nonNegative(probe.at("timeoutSeconds"));
        NumberRules.nonNegative(probe.at("periodSeconds"));
        NumberRules.nonNegative(probe.at("successThreshold"));
        NumberRules.nonNegative(probe.at("failureThreshold"));
        FieldCursor grace = probe.at("terminationGracePeriodSeconds");
        if (grace.present() && grace.number() <= 0) {
            grace.invalid("must be greater than 0");
        }
    }

    private static void succeedsAtOnce(FieldCursor probe) {
        FieldCursor threshold = probe.at("successThreshold");
        if (threshold.number() != 1) {
            threshold.invalid(MUST_BE_ONE);
        }
    }

    private static void handler(FieldCursor handler, List<String> kinds, FieldCursor gracePeriod) {
        boolean found = false;
        for (String kind : kinds) {
            if (!handler.has(kind)) {
                continue;
            }
            if (found) {
                handler.at(kind).forbidden("may not specify more than 1 handler type");
            } else {
                found = true;
                action(kind, handler.at(kind), gracePeriod);
            }
        }
        if (!found) {
            handler.required("must specify a handler type");
        }
    }

    private static void action(String kind, FieldCursor action, FieldCursor gracePeriod) {
        switch (kind) {
            case "exec" -> {
                if (action.size("command") == 0) {
                    action.at("command").required();
                }
            }
            case "httpGet" -> httpGet(action);
            case "tcpSocket" -> PortRules.numberOrName(action.at("port"));
            case "grpc" -> NumberRules.port(action.at("port"));
            default -> sleep(action, gracePeriod);
        }
    }

    private static void httpGet(FieldCursor get) {
        if (get.text("path").isEmpty()) {
            get.at("path").required();
        }
        PortRules.numberOrName(get.at("port"));
        FieldCursor scheme = get.at("scheme");
        if (!SCHEMES.contains(scheme.text())) {
            scheme.notSupported(SCHEMES);
        }
        for (FieldCursor header : get.each("httpHeaders")) {
            if (!isHeaderName(header.text("name"))) {
                get.at("httpHeaders")
                        .invalid(
                                header.text("name"),
                                "a valid HTTP header must consist of alphanumeric characters or '-' (e.g."
                                        + " 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')");
            }
        }
    }

    private static boolean isHeaderName(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c != '-' && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z')) {
                return false;
            }
        }
        return !name.isEmpty();
    }

    private static void sleep(FieldCursor sleep, FieldCursor gracePeriod) {
        long seconds = sleep.number("seconds");
        if (gracePeriod.present() && (seconds < 0 || seconds > gracePeriod.number())) {
            sleep.invalid(
                    sleep.at("seconds").value(),
                    "must be non-negative and less than terminationGracePeriodSeconds (" + gracePeriod.number() + ")");
        }
    }
}
