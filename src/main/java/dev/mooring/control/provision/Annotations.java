package dev.mooring.control.provision;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Edits the annotations of an object. Others' stay as they are. */
final class Annotations {
    private static final String ANNOTATIONS = "annotations";

    private Annotations() {}

    static void put(ObjectNode object, String name, String value) {
        ObjectNode metadata = (ObjectNode) object.get("metadata");
        if (metadata.get(ANNOTATIONS) instanceof ObjectNode annotations) {
            annotations.put(name, value);
        } else {
            metadata.putObject(ANNOTATIONS).put(name, value);
        }
    }

    /** The list goes with the last. */
    static void remove(ObjectNode object, String name) {
        ObjectNode metadata = (ObjectNode) object.get("metadata");
        if (metadata.get(ANNOTATIONS) instanceof ObjectNode annotations) {
            annotations.remove(name);
            if (annotations.isEmpty()) {
                metadata.remove(ANNOTATIONS);
            }
        }
    }
}
