package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.StatusException;
import dev.mooring.api.policy.PodSecurity;
import dev.mooring.api.policy.PodSecurity.PodSecurityLevel;
import dev.mooring.api.rules.Violations;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Kubernetes' admission plugin PodSecurity: labels of a namespace set the Pod Security Standard of its Pods, for all
 * users. It only forbids; roles are checked elsewhere. The newest version of the standards applies regardless of
 * version labels, and {@code audit} is accepted without effect. Thread-safe.
 */
final class PodSecurityAdmission {
    private static final String PREFIX = "pod-security.kubernetes.io/";
    private static final String ENFORCE = PREFIX + "enforce";
    private static final String WARN = PREFIX + "warn";
    private static final String VERSION = "-version";
    private static final Pattern VERSIONS = Pattern.compile("latest|v1\\.(0|[1-9][0-9]*)");
    /** Maximum number of existing Pods to check when a namespace gets a stricter level. */
    private static final int MAX_PODS = 1000;

    private final PodSecurityLevel defaultLevel;
    private volatile CachedNamespace lastKnown;

    private record CachedNamespace(StoredObject namespace, Levels levels) {}

    private record Levels(PodSecurityLevel enforce, PodSecurityLevel warn) {}

    PodSecurityAdmission(PodSecurityLevel defaultLevel) {
        this.defaultLevel = defaultLevel;
    }

    /**
     * Refuses a Pod that violates the level of its namespace.
     *
     * @throws StatusException 403
     */
    void admit(World world, ResourceRef target, ObjectNode pod) {
        PodSecurityLevel level = levels(world, target).enforce();
        String details = PodSecurity.details(level, pod);
        if (!details.isEmpty()) {
            throw new StatusException(target.forbidden(
                    ObjectJson.text(ObjectJson.metadata(pod), "name"),
                    "violates PodSecurity \"" + level + "\": " + details));
        }
    }

    /** Returns warnings for the author of a Pod. */
    List<String> warnings(World world, ResourceRef target, ObjectNode pod) {
        PodSecurityLevel level = levels(world, target).warn();
        String details = PodSecurity.details(level, pod);
        return details.isEmpty() ? List.of() : List.of("would violate PodSecurity \"" + level + "\": " + details);
    }

    /** Returns the levels of a namespace; those of the last one are cached, because namespaces rarely change. */
    private Levels levels(World world, ResourceRef target) {
        Optional<StoredObject> namespace =
                target.namespace().flatMap(name -> world.get(ObjectKey.clusterWide("namespaces", name)));
        if (namespace.isEmpty()) {
            return new Levels(defaultLevel, PodSecurityLevel.PRIVILEGED);
        }
        CachedNamespace known = lastKnown;
        if (known == null || !known.namespace().equals(namespace.get())) {
            known = new CachedNamespace(namespace.get(), levels(ObjectJson.tree(namespace.get())));
            lastKnown = known;
        }
        return known.levels();
    }

    /** Returns the levels in the labels. An invalid enforced level counts as the strictest, as in Kubernetes. */
    private Levels levels(JsonNode namespace) {
        JsonNode labels = labels(namespace);
        PodSecurityLevel enforce = labels.has(ENFORCE)
                ? PodSecurityLevel.of(labels.path(ENFORCE).asText("")).orElse(PodSecurityLevel.RESTRICTED)
                : defaultLevel;
        return new Levels(
                enforce, PodSecurityLevel.of(labels.path(WARN).asText("")).orElse(PodSecurityLevel.PRIVILEGED));
    }

    private static JsonNode labels(JsonNode namespace) {
        return namespace.path("metadata").path("labels");
    }

    /** Rejects labels with an invalid level or version, unless the namespace already had them. */
    static void validate(ObjectNode next, Optional<ObjectNode> before, Violations violations) {
        for (Map.Entry<String, JsonNode> label : labels(next).properties()) {
            String key = label.getKey();
            String value = label.getValue().asText("");
            boolean old = before.filter(was -> labels(was).path(key).equals(label.getValue()))
                    .isPresent();
            if (!old) {
                validate(key, value, violations);
            }
        }
    }

    private static void validate(String key, String value, Violations violations) {
        for (String mode : List.of("enforce", "audit", "warn")) {
            String field = "metadata.labels[" + key + ']';
            if (key.equals(PREFIX + mode) && PodSecurityLevel.of(value).isEmpty()) {
                violations.invalid(field, value, "must be one of privileged, baseline, restricted");
            }
            if (key.equals(PREFIX + mode + VERSION) && !VERSIONS.matcher(value).matches()) {
                violations.invalid(field, value, "must be \"latest\" or \"v1.x\"");
            }
        }
    }

    /** Returns warnings about existing Pods of a namespace whose level becomes stricter. */
    List<String> warnings(World world, ObjectNode next, ObjectNode before) {
        PodSecurityLevel level = levels(next).enforce();
        if (level.compareTo(levels(before).enforce()) <= 0) {
            return List.of();
        }
        String namespace = ObjectJson.text(ObjectJson.metadata(next), "name");
        List<String> warnings = new ArrayList<>();
        Map<String, TreeSet<String>> violating = new TreeMap<>();
        int pods = 0;
        for (StoredObject each : world.list(Scope.namespace("pods", namespace))) {
            if (++pods > MAX_PODS) {
                continue;
            }
            String reasons = PodSecurity.reasons(level, ObjectJson.tree(each));
            if (!reasons.isEmpty()) {
                violating
                        .computeIfAbsent(reasons, unused -> new TreeSet<>())
                        .add(each.key().name());
            }
        }
        if (pods > MAX_PODS) {
            warnings.add("new PodSecurity enforce level only checked against the first " + MAX_PODS + " of " + pods
                    + " existing pods");
        }
        if (!violating.isEmpty()) {
            warnings.add("existing pods in namespace \"" + namespace + "\" violate the new PodSecurity enforce level \""
                    + level + '"');
        }
        TreeSet<String> each = new TreeSet<>();
        violating.forEach((reasons, names) -> {
            int others = names.size() - 1;
            String more = others == 0 ? "" : " (and " + others + (others == 1 ? " other pod)" : " other pods)");
            each.add(names.first() + more + ": " + reasons);
        });
        warnings.addAll(each);
        return warnings;
    }
}
