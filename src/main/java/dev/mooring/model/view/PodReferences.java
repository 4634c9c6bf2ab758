package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Collects the objects in its namespace that a Pod refers to; omits invalid names. Stateless; thread-safe. */
public final class PodReferences {
    private static final String CONFIG_MAPS = "configmaps";
    private static final String SECRETS = "secrets";
    private static final List<String> CONTAINERS = List.of("initContainers", "containers", "ephemeralContainers");

    private final Pod pod;
    private final Set<ObjectKey> found = new LinkedHashSet<>();

    private PodReferences(Pod pod) {
        this.pod = pod;
    }

    /** Returns the ConfigMaps, Secrets, claims and ServiceAccount: everything a node needs to run the Pod. */
    public static Set<ObjectKey> of(Pod pod) {
        PodReferences references = new PodReferences(pod);
        references.environment();
        references.volumes();
        for (JsonNode each : pod.spec().path("imagePullSecrets")) {
            references.add(SECRETS, each.path("name"));
        }
        references.add("serviceaccounts", pod.spec().path("serviceAccountName"));
        references.found.addAll(pod.claimKeys());
        return references.found;
    }

    /** Returns the ConfigMaps and Secrets that the environment of its containers refers to. */
    public static Set<ObjectKey> ofEnvironment(Pod pod) {
        PodReferences references = new PodReferences(pod);
        references.environment();
        return references.found;
    }

    private void environment() {
        for (String list : CONTAINERS) {
            for (JsonNode container : pod.spec().path(list)) {
                for (JsonNode env : container.path("env")) {
                    add(
                            CONFIG_MAPS,
                            env.path("valueFrom").path("configMapKeyRef").path("name"));
                    add(SECRETS, env.path("valueFrom").path("secretKeyRef").path("name"));
                }
                for (JsonNode from : container.path("envFrom")) {
                    add(CONFIG_MAPS, from.path("configMapRef").path("name"));
                    add(SECRETS, from.path("secretRef").path("name"));
                }
            }
        }
    }

    private void volumes() {
        for (JsonNode volume : pod.spec().path("volumes")) {
            add(CONFIG_MAPS, volume.path("configMap").path("name"));
            add(SECRETS, volume.path("secret").path("secretName"));
            for (JsonNode source : volume.path("projected").path("sources")) {
                add(CONFIG_MAPS, source.path("configMap").path("name"));
                add(SECRETS, source.path("secret").path("name"));
            }
        }
    }

    private void add(String resource, JsonNode name) {
        ObjectKey.ifValid(resource + '/' + pod.namespace() + '/' + name.asText(""))
                .ifPresent(found::add);
    }
}
