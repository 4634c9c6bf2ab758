package dev.mooring.api.rules.pod;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The containers of a Pod: ordinary ones, those that run before them, and those added to look into them. Stateless. */
final class Containers {
    static final String ALWAYS = "Always";
    private static final List<String> PULL_POLICIES = List.of(ALWAYS, "IfNotPresent", "Never");
    private static final List<String> MESSAGE_POLICIES = List.of("File", "FallbackToLogsOnError");
    private static final List<String> RESIZED = List.of("cpu", "memory");
    private static final List<String> RESIZE_POLICIES = List.of("NotRequired", "RestartContainer");
    private static final List<String> NOT_IN_INIT =
            List.of("lifecycle", "livenessProbe", "readinessProbe", "startupProbe");
    private static final List<String> NOT_IN_EPHEMERAL = List.of(
            "ports",
            "resources",
            "resizePolicy",
            "restartPolicy",
            "livenessProbe",
            "readinessProbe",
            "startupProbe",
            "lifecycle");
    private static final String ONLY_SIDECARS = "may not be set for init containers without restartPolicy=Always";
    private static final String NOT_EPHEMERAL = "cannot be set for an Ephemeral Container";

    private Containers() {}

    static void check(Spot spec, Map<String, Spot> volumes) {
        checkOrdinary(spec, volumes);
        checkInit(spec, volumes);
        checkEphemeral(spec, volumes);
    }

    private static void checkOrdinary(Spot spec, Map<String, Spot> volumes) {
        if (spec.size("containers") == 0) {
            spec.at("containers").required();
            return;
        }
        List<Spot> containers = spec.each("containers");
        Set<String> names = new HashSet<>();
        for (Spot container : containers) {
            checkCommon(container, spec, volumes);
            if (!names.add(container.text("name"))) {
                container.at("name").duplicate();
            }
            Handlers.check(container, spec.at("terminationGracePeriodSeconds"));
            if (container.has("restartPolicy")) {
                container.at("restartPolicy").forbidden("may not be set for non-init containers");
            }
            checkRestartRules(container);
        }
        Set<String> hostPorts = new HashSet<>();
        containers.forEach(container -> Ports.checkHostPorts(container, hostPorts));
    }

    private static void checkInit(Spot spec, Map<String, Spot> volumes) {
        if (spec.size("initContainers") == 0) {
            return;
        }
        Set<String> names = names(spec, "containers");
        for (Spot container : spec.each("initContainers")) {
            checkCommon(container, spec, volumes);
            Spot restart = container.at("restartPolicy");
            if (restart.present() && !restart.text().equals(ALWAYS)) {
                restart.notSupported(List.of(ALWAYS));
            }
            checkRestartRules(container);
            Spot name = container.at("name");
            if (names.contains(name.text())) {
                name.duplicate();
            } else if (!name.text().isEmpty()) {
                names.add(name.text());
            }
            Ports.checkHostPorts(container, new HashSet<>());
            if (isSidecar(container)) {
                Handlers.check(container, spec.at("terminationGracePeriodSeconds"));
            } else {
                for (String field : NOT_IN_INIT) {
                    if (container.has(field)) {
                        container.at(field).forbidden(ONLY_SIDECARS);
                    }
                }
            }
        }
    }

    /** Exceptions to a restart policy need one that has exceptions. */
    private static void checkRestartRules(Spot container) {
        if (container.size("restartPolicyRules") == 0) {
            return;
        }
        if (!container.has("restartPolicy")) {
            container.at("restartPolicy").required("must specify restartPolicy when restart rules are used");
        } else if (isSidecar(container)) {
            container
                    .at("restartPolicyRules")
                    .forbidden("restartPolicyRules are not allowed for init containers with restart policy Always");
        }
    }

    private static void checkEphemeral(Spot spec, Map<String, Spot> volumes) {
        if (spec.size("ephemeralContainers") == 0) {
            return;
        }
        Set<String> targets = names(spec, "containers");
        targets.addAll(names(spec, "initContainers"));
        Set<String> names = new HashSet<>(targets);
        for (Spot container : spec.each("ephemeralContainers")) {
            checkCommon(container, spec, volumes);
            checkImageSpaces(container);
            if (!names.add(container.text("name"))) {
                container.at("name").duplicate();
            }
            Spot target = container.at("targetContainerName");
            if (!target.text().isEmpty() && !targets.contains(target.text())) {
                target.notFound();
            }
            for (String field : NOT_IN_EPHEMERAL) {
                Spot at = container.at(field);
                if (at.present() && !(at.value().isContainerNode() && at.value().isEmpty() && !isHandler(field))) {
                    at.forbidden(NOT_EPHEMERAL);
                }
            }
            for (Spot mount : container.each("volumeMounts")) {
                for (String field : new String[] {"subPath", "subPathExpr"}) {
                    if (!mount.text(field).isEmpty()) {
                        mount.at(field).forbidden(NOT_EPHEMERAL);
                    }
                }
            }
        }
    }

    /** Fields that count as set even when there is nothing in them. */
    private static boolean isHandler(String field) {
        return NOT_IN_INIT.contains(field);
    }

    static boolean isSidecar(Spot initContainer) {
        return initContainer.text("restartPolicy").equals(ALWAYS);
    }

    private static Set<String> names(Spot spec, String list) {
        Set<String> names = new HashSet<>();
        spec.each(list).forEach(container -> names.add(container.text("name")));
        return names;
    }

    private static void checkCommon(Spot container, Spot spec, Map<String, Spot> volumes) {
        Spot name = container.at("name");
        if (name.text().isEmpty()) {
            name.required();
        } else {
            Spelled.label(name);
        }
        if (container.text("image").isEmpty()) {
            container.at("image").required();
        }
        Spot message = container.at("terminationMessagePolicy");
        if (message.text().isEmpty()) {
            message.required();
        } else if (!MESSAGE_POLICIES.contains(message.text())) {
            message.notSupported(MESSAGE_POLICIES);
        }
        Ports.check(container);
        Environment.check(container, volumes);
        Mounts.check(container, volumes);
        checkPullPolicy(container.at("imagePullPolicy"));
        Resources.check(container.at("resources"));
        DeviceClaims.checkUse(container.at("resources").at("claims"), spec.at("resourceClaims"));
        checkResizePolicy(container.at("resizePolicy"), spec.text("restartPolicy"));
        SecurityContexts.check(container.at("securityContext"), spec);
    }

    static void checkPullPolicy(Spot policy) {
        if (policy.text().isEmpty()) {
            policy.required();
        } else if (!PULL_POLICIES.contains(policy.text())) {
            policy.notSupported(PULL_POLICIES);
        }
    }

    private static void checkResizePolicy(Spot policies, String restartPolicy) {
        Set<String> seen = new HashSet<>();
        for (Spot policy : policies.each()) {
            Spot resource = policy.at("resourceName").reportedAt(policies);
            if (!seen.add(resource.text())) {
                policy.duplicate(resource.value());
            }
            requiredOneOf(resource, RESIZED);
            Spot restart = policy.at("restartPolicy").reportedAt(policies);
            requiredOneOf(restart, RESIZE_POLICIES);
            if (restartPolicy.equals("Never") && !restart.text().equals("NotRequired")) {
                restart.invalid(restart.text(), "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
            }
        }
    }

    private static void requiredOneOf(Spot choice, List<String> supported) {
        if (choice.text().isEmpty()) {
            choice.required();
        } else if (!supported.contains(choice.text())) {
            choice.notSupported(supported);
        }
    }

    /** What is only demanded of Pods, not of templates for them. */
    static void checkImageSpaces(Spot container) {
        Spot image = container.at("image");
        if (!image.text().equals(image.text().strip())) {
            image.invalid("must not have leading or trailing whitespace");
        }
    }
}
