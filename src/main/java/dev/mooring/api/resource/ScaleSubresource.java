package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Json;
import dev.mooring.model.LabelSelector;
import dev.mooring.model.StoredObject;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Converts workloads to the {@code autoscaling/v1} Scale of their subresource, and back. Stateless; thread-safe. */
public final class ScaleSubresource {
    private ScaleSubresource() {}

    /** Returns the Scale of a stored workload. */
    public static StoredObject of(StoredObject workload) {
        return new StoredObject(workload.key(), workload.revision(), ObjectJson.bytes(of(ObjectJson.tree(workload))));
    }

    static ObjectNode of(ObjectNode workload) {
        ObjectNode scale = JsonNodeFactory.instance.objectNode();
        scale.put("kind", "Scale").put("apiVersion", "autoscaling/v1");
        ObjectNode metadata = scale.putObject("metadata");
        for (String field : new String[] {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
            JsonNode value = workload.path("metadata").get(field);
            if (value != null) {
                metadata.set(field, value);
            }
        }
        JsonNode spec = workload.path("spec");
        ObjectNode wanted = scale.putObject("spec");
        if (spec.path("replicas").asInt(0) > 0) {
            wanted.put("replicas", spec.path("replicas").asInt());
        }
        ObjectNode status = scale.putObject("status");
        status.put("replicas", workload.path("status").path("replicas").asInt(0));
        if (spec.path("selector").isObject()) {
            status.put("selector", LabelSelector.ofObject(spec.path("selector")).toString());
        }
        return scale;
    }

    /** Returns the workload with the number of Pods and the preconditions of a Scale. */
    static ObjectNode applied(ObjectNode workload, ObjectNode scale) {
        ObjectNode next = workload.deepCopy();
        next.withObject("/spec")
                .put("replicas", scale.path("spec").path("replicas").asInt(0));
        ObjectNode metadata = ObjectJson.metadata(next);
        metadata.remove("resourceVersion");
        for (String field : new String[] {"name", "namespace", "uid", "resourceVersion"}) {
            JsonNode value = scale.path("metadata").get(field);
            if (value != null && !value.isNull()) {
                metadata.set(field, value);
            }
        }
        return next;
    }

    /** Returns the response to a write of a Scale. */
    static WriteResponse response(WriteResponse response) {
        try {
            ObjectNode workload = (ObjectNode) Json.MAPPER.readTree(response.json());
            return new WriteResponse(response.code(), ObjectJson.bytes(of(workload)), response.warnings());
        } catch (IOException e) {
            throw new UncheckedIOException("Response is not JSON", e);
        }
    }
}
