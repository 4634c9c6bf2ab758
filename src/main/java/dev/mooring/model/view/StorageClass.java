package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A StorageClass. Immutable; thread-safe. */
public final class StorageClass extends View {
    /** Orders default classes: the newest first, then by name. */
    public static final Comparator<StorageClass> DEFAULTS =
            Comparator.comparing(StorageClass::created).reversed().thenComparing(StorageClass::name);

    private StorageClass(StoredObject stored) {
        super(stored);
    }

    public static StorageClass of(StoredObject stored) {
        return new StorageClass(stored);
    }

    public static ObjectKey key(String name) {
        return ObjectKey.clusterWide(StorageNames.CLASSES, name);
    }

    public String provisioner() {
        return tree().path("provisioner").asText("");
    }

    /** Returns whether Mooring provisions its volumes. */
    public boolean isMooringProvisioned() {
        return provisioner().startsWith(StorageNames.MOORING_PROVISIONER_PREFIX);
    }

    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> each : tree().path("parameters").properties()) {
            parameters.put(each.getKey(), each.getValue().asText(""));
        }
        return parameters;
    }

    /** Returns whether its binding mode is WaitForFirstConsumer. */
    public boolean waitsForConsumer() {
        return tree().path("volumeBindingMode").asText("").equals("WaitForFirstConsumer");
    }

    public boolean allowsExpansion() {
        return tree().path("allowVolumeExpansion").asBoolean(false);
    }

    /** Returns whether a missing volume is provisioned under the name that a claim requests. */
    public boolean createsMissingVolumes() {
        return isMooringProvisioned()
                && parameters().getOrDefault("createMissingVolume", "").equals("true");
    }

    /** Returns Retain or Delete. */
    public String reclaimPolicy() {
        return tree().path("reclaimPolicy").asText("Delete");
    }

    public List<String> mountOptions() {
        List<String> options = new ArrayList<>();
        tree().path("mountOptions").forEach(each -> options.add(each.asText("")));
        return options;
    }

    public boolean isDefault() {
        return Stream.of(StorageNames.DEFAULT_CLASS, StorageNames.BETA_DEFAULT_CLASS)
                .anyMatch(name -> annotation(name).filter("true"::equals).isPresent());
    }

    /** Returns whether volumes may be provisioned for this node; missing topologies allow all. */
    public boolean allows(Node node) {
        JsonNode terms = tree().path("allowedTopologies");
        if (terms.isEmpty()) {
            return true;
        }
        for (JsonNode term : terms) {
            if (holds(term, node.labels())) {
                return true;
            }
        }
        return false;
    }

    private static boolean holds(JsonNode term, JsonNode labels) {
        for (JsonNode each : term.path("matchLabelExpressions")) {
            String value = labels.path(each.path("key").asText("")).asText("");
            boolean found = false;
            for (JsonNode allowed : each.path("values")) {
                found |= allowed.asText("").equals(value);
            }
            if (!found) {
                return false;
            }
        }
        return true;
    }
}
