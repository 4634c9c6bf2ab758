package dev.mooring.api.rules.pod;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Rules of a Pod's containers: containers, init containers and ephemeral containers. Stateless. */
final class ContainerRules {
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

    private ContainerRules() {}

    static void check(FieldCursor spec, Map<String, FieldCursor> volumes) {
        checkOrdinary(spec, volumes);
        checkInit(spec, volumes);
        checkEphemeral(spec, volumes);
    }

    private static void checkOrdinary(FieldCursor spec, Map<String, FieldCursor> volumes) {
        if (spec.size("containers") == 0) {
            spec.at("containers").required();
            return;
        }
        List<FieldCursor> containers = spec.each("containers");
        Set<String> names = new HashSet<>();
        for (FieldCursor container : containers) {
            checkCommon(container, spec, volumes);
            if (!names.add(container.text("name"))) {
                container.at("name").duplicate();
            }
            HandlerRules.check(container, spec.at("terminationGracePeriodSeconds"));
            if (container.has("restartPolicy")) {
                container.at("restartPolicy").forbidden("may not be set for non-init containers");
            }
            checkRestartRules(container);
        }
        Set<String> hostPorts = new HashSet<>();
        containers.forEach(container -> PortRules.checkHostPorts(container, hostPorts));
    }

    private static void checkInit(FieldCursor spec, Map<String, FieldCursor> volumes) {
        if (spec.size("initContainers") == 0) {
            return;
        }
        Set<String> names = names(spec, "containers");
        for (FieldCursor container : spec.each("initContainers")) {
            checkCommon(container, spec, volumes);
            FieldCursor restart = container.at("restartPolicy");
            if (restart.present() && !restart.text().equals(ALWAYS)) {
                restart.notSupported(List.of(ALWAYS));
            }
            checkRestartRules(container);
            FieldCursor name = container.at("name");
            if (names.contains(name.text())) {
                name.duplicate();
            } else if (!name.text().isEmpty()) {
                names.add(name.text());
            }
            PortRules.checkHostPorts(container, new HashSet<>());
            if (isSidecar(container)) {
                HandlerRules.check(container, spec.at("terminationGracePeriodSeconds"));
            } else {
                for (String field : NOT_IN_INIT) {
                    if (container.has(field)) {
                        container.at(field).forbidden(ONLY_SIDECARS);
                    }
                }
            }
        }
    }

    /** Validates restart rules, which require a restart policy. */
    private static void checkRestartRules(FieldCursor container) {
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

    private static void checkEphemeral(FieldCursor spec, Map<String, FieldCursor> volumes) {
        if (spec.size("ephemeralContainers") == 0) {
            return;
        }
        Set<String> targets = names(spec, "containers");
        targets.addAll(names(spec, "initContainers"));
        Set<String> names = new HashSet<>(targets);
        for (FieldCursor container : spec.each("ephemeralContainers")) {
            checkCommon(container, spec, volumes);
            checkImageSpaces(container);
            if (!names.add(container.text("name"))) {
                container.at("name").duplicate();
            }
            FieldCursor target = container.at("targetContainerName");
            if (!target.text().isEmpty() && !targets.contains(target.text())) {
                target.notFound();
            }
            for (String field : NOT_IN_EPHEMERAL) {
                FieldCursor at = container.at(field);
                if (at.present() && !(at.value().isContainerNode() && at.value().isEmpty() && !isHandler(field))) {
                    at.forbidden(NOT_EPHEMERAL);
                }
            }
            for (FieldCursor mount : container.each("volumeMounts")) {
                for (String field : new String[] {"subPath", "subPathExpr"}) {
                    if (!mount.text(field).isEmpty()) {
                        mount.at(field).forbidden(NOT_EPHEMERAL);
                    }
                }
            }
        }
    }

    /** Returns whether a field counts as set even if it is empty. */
    private static boolean isHandler(String field) {
        return NOT_IN_INIT.contains(field);
    }

    static boolean isSidecar(FieldCursor initContainer) {
        return initContainer.text("restartPolicy").equals(ALWAYS);
    }

    private static Set<String> names(FieldCursor spec, String list) {
        Set<String> names = new HashSet<>();
        spec.each(list).forEach(container -> names.add(container.text("name")));
        return names;
    }

    private static void checkCommon(FieldCursor container, FieldCursor spec, Map<String, FieldCursor> volumes) {
        FieldCursor name = container.at("name");
        if (name.text().isEmpty()) {
            name.required();
        } else {
            NameValidation.label(name);
        }
        if (container.text("image").isEmpty()) {
            container.at("image").required();
        }
        FieldCursor message = container.at("terminationMessagePolicy");
        if (message.text().isEmpty()) {
            message.required();
        } else if (!MESSAGE_POLICIES.contains(message.text())) {
            message.notSupported(MESSAGE_POLICIES);
        }
        PortRules.check(container);
        EnvironmentRules.check(container, volumes);
        VolumeMountRules.check(container, volumes);
        checkPullPolicy(container.at("imagePullPolicy"));
        ResourceRules.check(container.at("resources"));
        ResourceClaimRules.checkUse(container.at("resources").at("claims"), spec.at("resourceClaims"));
        checkResizePolicy(container.at("resizePolicy"), spec.text("restartPolicy"));
        SecurityContextRules.check(container.at("securityContext"), spec);
    }

    static void checkPullPolicy(FieldCursor policy) {
        if (policy.text().isEmpty()) {
            policy.required();
        } else if (!PULL_POLICIES.contains(policy.text())) {
            policy.notSupported(PULL_POLICIES);
        }
    }

    private static void checkResizePolicy(FieldCursor policies, String restartPolicy) {
        Set<String> seen = new HashSet<>();
        for (FieldCursor policy : policies.each()) {
            FieldCursor resource = policy.at("resourceName").reportedAt(policies);
            if (!seen.add(resource.text())) {
                policy.duplicate(resource.value());
            }
            requiredOneOf(resource, RESIZED);
            FieldCursor restart = policy.at("restartPolicy").reportedAt(policies);
            requiredOneOf(restart, RESIZE_POLICIES);
            if (restartPolicy.equals("Never") && !restart.text().equals("NotRequired")) {
                restart.invalid(restart.text(), "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
            }
        }
    }

    private static void requiredOneOf(FieldCursor choice, List<String> supported) {
        if (choice.text().isEmpty()) {
            choice.required();
        } else if (!supported.contains(choice.text())) {
            choice.notSupported(supported);
        }
    }

    /** Checks images for surrounding spaces; applies to Pods, but not to Pod templates. */
    static void checkImageSpaces(FieldCursor container) {
        FieldCursor image = container.at("image");
        if (!image.text().equals(image.text().strip())) {
            image.invalid("must not have leading or trailing whitespace");
        }
    }
}
