package dev.mooring.control.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.KindResources;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The remaining content of a namespace: the number of objects by resource, and their finalizers. Not thread-safe. */
final class RemainingContent {
    /** Counts by resource in Kubernetes' notation, with a trailing dot for the core group. */
    private final Map<String, Integer> byResource = new TreeMap<>();

    private final Map<String, Integer> byFinalizer = new TreeMap<>();

    void add(KindResources.ResourceKind kind, JsonNode object) {
        String resource = kind.group().isEmpty() ? kind.resource() + '.' : kind.resource();
        byResource.merge(resource, 1, Integer::sum);
        for (JsonNode finalizer : object.path("metadata").path("finalizers")) {
            byFinalizer.merge(finalizer.asText(), 1, Integer::sum);
        }
    }

    boolean isEmpty() {
        return byResource.isEmpty();
    }

    /** Returns the conditions in Kubernetes' order and wording. */
    List<NamespaceCondition> conditions() {
        return List.of(
                NamespaceCondition.isFalse(
                        "NamespaceDeletionDiscoveryFailure",
                        "ResourcesDiscovered",
                        "All resources successfully discovered"),
                NamespaceCondition.isFalse(
                        "NamespaceDeletionGroupVersionParsingFailure",
                        "ParsedGroupVersions",
                        "All legacy kube types successfully parsed"),
                NamespaceCondition.isFalse(
                        "NamespaceDeletionContentFailure",
                        "ContentDeleted",
                        "All content successfully deleted, may be waiting on finalization"),
                content(),
                finalizers());
    }

    private NamespaceCondition content() {
        String type = "NamespaceContentRemaining";
        return byResource.isEmpty()
                ? NamespaceCondition.isFalse(type, "ContentRemoved", "All content successfully removed")
                : NamespaceCondition.isTrue(
                        type,
                        "SomeResourcesRemain",
                        "Some resources are remaining: " + counted(byResource, " has ", " resource instances"));
    }

    private NamespaceCondition finalizers() {
        String type = "NamespaceFinalizersRemaining";
        return byFinalizer.isEmpty()
                ? NamespaceCondition.isFalse(
                        type, "ContentHasNoFinalizers", "All content-preserving finalizers finished")
                : NamespaceCondition.isTrue(
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
