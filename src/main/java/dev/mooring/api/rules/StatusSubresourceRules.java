package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Rules of a kind with a status subresource: a create cannot set the status, an update cannot change it, and a status
 * update cannot change anything else.
 */
public abstract class StatusSubresourceRules implements Rules {
    private static final Set<String> NOT_OF_THE_KIND = Set.of("apiVersion", "kind", "metadata", "status");

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.remove("status");
    }

    @Override
    public void prepareForUpdate(ObjectNode next, ObjectNode before) {
        JsonFields.takeFrom(before, "status", next);
    }

    @Override
    public void prepareForStatusUpdate(ObjectNode next, ObjectNode before) {
        List<String> names = new ArrayList<>();
        next.fieldNames().forEachRemaining(names::add);
        before.fieldNames().forEachRemaining(names::add);
        for (String name : names) {
            if (!NOT_OF_THE_KIND.contains(name)) {
                JsonFields.takeFrom(before, name, next);
            }
        }
    }
}
