package dev.mooring.api.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.model.Quantity;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Defaults for new Pods of a namespace, like Kubernetes' admission plugins LimitRanger and AlwaysPullImages, and the
 * Pod Security level of namespaces without a label. They apply to all users, including admins. Immutable.
 *
 * @param level of namespaces without the label {@code pod-security.kubernetes.io/enforce}
 * @param noNewPrivileges namespaces whose containers get {@code allowPrivilegeEscalation: false}; only admins may
 *     override it
 * @param memory limits by namespace, as quantities; {@link PodGrants#EVERYWHERE} for all others
 * @param alwaysPullImages whether images are pulled for every container start, with the Pod's own secrets
 */
public record NamespaceDefaults(
        PodSecurity.PodSecurityLevel level,
        Set<String> noNewPrivileges,
        Map<String, String> memory,
        boolean alwaysPullImages) {
    public static final NamespaceDefaults NONE =
            new NamespaceDefaults(PodSecurity.PodSecurityLevel.PRIVILEGED, Set.of(), Map.of(), false);

    private static final String ESCALATION = "allowPrivilegeEscalation";

    public NamespaceDefaults {
        noNewPrivileges = Set.copyOf(noNewPrivileges);
        memory = Map.copyOf(memory);
    }

    /** Sets defaults in a Pod of the right shape; call before its other defaults are set. */
    public void applyTo(ObjectNode pod, String namespace) {
        boolean keepsPrivileges = forbidsPrivilegeEscalation(namespace);
        String limit = memory.getOrDefault(namespace, memory.get(PodGrants.EVERYWHERE));
        for (String list : List.of("initContainers", "containers")) {
            for (JsonNode each : pod.path("spec").path(list)) {
                if (each instanceof ObjectNode container) {
                    applyTo(container, keepsPrivileges, limit);
                }
            }
        }
    }

    /** Sets defaults in the ephemeral containers that a change adds; they have no resources of their own. */
    public void applyToEphemeral(ObjectNode next, JsonNode before, String namespace) {
        Set<String> known = new HashSet<>();
        before.path("spec")
                .path("ephemeralContainers")
                .forEach(each -> known.add(each.path("name").asText("")));
        for (JsonNode each : next.path("spec").path("ephemeralContainers")) {
            if (each instanceof ObjectNode container
                    && !known.contains(container.path("name").asText(""))) {
                applyTo(container, forbidsPrivilegeEscalation(namespace), null);
            }
        }
    }

    boolean forbidsPrivilegeEscalation(String namespace) {
        return noNewPrivileges.contains(namespace) || noNewPrivileges.contains(PodGrants.EVERYWHERE);
    }

    private void applyTo(ObjectNode container, boolean keepsPrivileges, String limit) {
        if (alwaysPullImages) {
            container.put("imagePullPolicy", "Always");
        }
        JsonNode context = container.path("securityContext");
        if (keepsPrivileges
                && !context.hasNonNull(ESCALATION)
                && !context.path("privileged").asBoolean(false)) {
            JsonFields.object(container, "securityContext").put(ESCALATION, false);
        }
        if (limit != null
                && isUnlimited(container.path("resources").path("limits").path("memory"))) {
            JsonFields.object(JsonFields.object(container, "resources"), "limits")
                    .put("memory", limit);
        }
    }

    /** Returns whether there is no limit: missing, or zero. */
    private static boolean isUnlimited(JsonNode memory) {
        try {
            return memory.isMissingNode()
                    || memory.isNull()
                    || Quantity.parse(memory.asText()).signum() == 0;
        } catch (Quantity.MalformedException e) {
            // Validation rejects the Pod later.
            return false;
        }
    }
}
