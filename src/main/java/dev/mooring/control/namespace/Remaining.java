package dev.mooring.control.namespace;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.KindResources;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What is left in a namespace: how many objects of which kind, and what holds them. Collected in one pass. For one thread. */
final class Remaining {
    /** By the resource as Kubernetes writes it here: the dot also where there is no group. */
    private final Map<String, Integer> byResource = new TreeMap<>();

    private final Map<String, Integer> byFinalizer = new TreeMap<>();

    void add(KindResources.Entry kind, JsonNode object) {
        String resource = kind.group().isEmpty() ? kind.resource() + '.' : kind.resource();
        byResource.merge(resource, 1, Integer::sum);
        for (JsonNode finalizer : object.path("metadata").path("finalizers")) {
            byFinalizer.merge(finalizer.asText(), 1, Integer::sum);
        }
    }

    boolean isEmpty() {
        return byResource.isEmpty();
    }

    /** The conditions that say so, in the order and the words of Kubernetes. */
    List<Condition> conditions() {
        return List.of(
                Condition.isFalse(
                        "NamespaceDeletionDiscoveryFailure",
                        "ResourcesDiscovered",
                        "All resources successfully discovered"),
                Condition.isFalse(
                        "NamespaceDeletionGroupVersionParsingFailure",
                        "ParsedGroupVersions",
                        "All legacy kube types successfully parsed"),
                Condition.isFalse(
                        "NamespaceDeletionContentFailure",
                        "ContentDeleted",
                        "All content successfully deleted, may be waiting on finalization"),
                content(),
                finalizers());
    }

    private Condition content() {
        String type = "NamespaceContentRemaining";
        return byResource.isEmpty()
                ? Condition.isFalse(type, "ContentRemoved", "All content successfully removed")
                : Condition.isTrue(
                        type,
                        "SomeResourcesRemain",
                        "Some resources are remaining: " + counted(byResource, " has ", " resource instances"));
    }

    private Condition finalizers() {
        String type = "NamespaceFinalizersRemaining";
        return byFinalizer.isEmpty()
                ? Condition.isFalse(type, "ContentHasNoFinalizers", "All content-preserving finalizers finished")
                : Condition.isTrue(
                        type,
                        "SomeFinalizersRemain",
                        "Some content in the namespace has finalizers remaining: "
                                + counted(byFinalizer, " in ", " resource instances"));
    }

    private static String counted(Map<String, Integer> counts, String before, String after) {
        List<String> texts = new ArrayList<>(counts.size());
        counts.forEach((name, count) -> texts.add(name + before + count + after));
        return String.join(", ", texts);
    }
}
