package dev.mooring.control;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Edits the annotations of an object. Other annotations are preserved. */
public final class Annotations {
    private static final String ANNOTATIONS = "annotations";

    private Annotations() {}

    public static void put(ObjectNode object, String name, String value) {
        ObjectNode metadata = (ObjectNode) object.get("metadata");
        if (metadata.get(ANNOTATIONS) instanceof ObjectNode annotations) {
            annotations.put(name, value);
        } else {
            metadata.putObject(ANNOTATIONS).put(name, value);
        }
    }

    /** Removes an annotation, and the map if it becomes empty. */
    public static void remove(ObjectNode object, String name) {
        ObjectNode metadata = (ObjectNode) object.get("metadata");
        if (metadata.get(ANNOTATIONS) instanceof ObjectNode annotations) {
            annotations.remove(name);
            if (annotations.isEmpty()) {
                metadata.remove(ANNOTATIONS);
            }
        }
    }
}
