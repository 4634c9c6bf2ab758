package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.kind.Rules;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Rules of a kind whose status has a writer of its own: who creates an object does not decide its status, who updates it does not
 * change its status, and who updates its status changes nothing else.
 */
abstract class SeparateStatus implements Rules {
    private static final Set<String> NOT_OF_THE_KIND = Set.of("apiVersion", "kind", "metadata", "status");

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.remove("status");
    }

    @Override
    public void prepareForUpdate(ObjectNode next, ObjectNode before) {
        Fields.takeFrom(before, "status", next);
    }

    @Override
    public void prepareForStatusUpdate(ObjectNode next, ObjectNode before) {
        List<String> names = new ArrayList<>();
        next.fieldNames().forEachRemaining(names::add);
        before.fieldNames().forEachRemaining(names::add);
        for (String name : names) {
            if (!NOT_OF_THE_KIND.contains(name)) {
                Fields.takeFrom(before, name, next);
            }
        }
    }
}
