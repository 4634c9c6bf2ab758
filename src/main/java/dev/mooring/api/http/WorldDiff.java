package dev.mooring.api.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.mooring.api.http.ReadHandler.VisibleWorld;
import dev.mooring.api.types.KindNames;
import dev.mooring.model.Json;
import dev.mooring.model.ObjectDiff;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** Finds the objects that differ between two Worlds, of those that a reader may see, and encodes them. Stateless. */
final class WorldDiff {
    private WorldDiff() {}

    /** An object that differs. */
    record Item(KindNames kind, Optional<StoredObject> before, Optional<StoredObject> after) {
        /**
         * Encodes the item; empty if only fields differ that change with every write.
         *
         * @param isFull whether to add both states of the object
         */
        Optional<byte[]> encode(boolean isFull) {
            StoredObject newest = after.or(() -> before).orElseThrow();
            ObjectKey key = newest.key();
            ObjectDiff diff = ObjectDiff.between(tree(before), tree(after));
            if (diff.isEmpty()) {
                return Optional.empty();
            }
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.put("change", before.isEmpty() ? "created" : after.isEmpty() ? "deleted" : "updated")
                    .put("resource", kind.plural())
                    .put("kind", kind.kind());
            key.namespace().ifPresent(namespace -> json.put("namespace", namespace));
            json.put("name", key.name())
                    .put("uid", newest.tree().path("metadata").path("uid").asText())
                    .put("summary", diff.summary());
            ArrayNode fields = json.putArray("fields");
            diff.fields().forEach(field -> fields.add(field.toJson()));
            json.set("patch", diff.patch());
            if (isFull) {
                before.ifPresent(object -> json.putRawValue("before", raw(object)));
                after.ifPresent(object -> json.putRawValue("after", raw(object)));
            }
            return Optional.of(json.toString().getBytes(StandardCharsets.UTF_8));
        }

        private static JsonNode tree(Optional<StoredObject> object) {
            try {
                return object.isEmpty()
                        ? JsonNodeFactory.instance.objectNode()
                        : Json.MAPPER.readTree(object.get().jsonWithoutManagedFields());
            } catch (IOException e) {
                throw new UncheckedIOException(object.get().key() + " is not valid JSON", e);
            }
        }

        private static RawValue raw(StoredObject object) {
            return new RawValue(new String(object.jsonWithoutManagedFields(), StandardCharsets.UTF_8));
        }
    }

    /** Returns the differences by resource and key. */
    static List<Item> of(
            VisibleWorld from, VisibleWorld to, List<ReadableObjects> readable, Predicate<StoredObject> selected) {
        List<Item> items = new ArrayList<>();
        for (ReadableObjects each : readable) {
            Optional<Set<String>> before = each.namespaces(from.only());
            Optional<Set<String>> after = each.namespaces(to.only());
            for (Scope scope : each.scopes(union(before, after))) {
                for (World.Difference found : to.world().differencesFrom(from.world(), scope)) {
                    Item item = new Item(
                            each.kind().names(),
                            found.before().filter(object -> isIn(before, object)),
                            found.after().filter(object -> isIn(after, object)));
                    if (item.before().filter(selected).isPresent()
                            || item.after().filter(selected).isPresent()) {
                        items.add(item);
                    }
                }
            }
        }
        return items;
    }

    private static Optional<Set<String>> union(Optional<Set<String>> left, Optional<Set<String>> right) {
        if (left.isEmpty() || right.isEmpty()) {
            return Optional.empty();
        }
        Set<String> all = new HashSet<>(left.get());
        all.addAll(right.get());
        return Optional.of(all);
    }

    private static boolean isIn(Optional<Set<String>> namespaces, StoredObject object) {
        ObjectKey key = object.key();
        return namespaces.isEmpty() || namespaces.get().contains(key.namespace().orElse(key.name()));
    }

    /**
     * Returns whether an object belongs to a namespace: it is in it, is its Namespace, or is a cluster-scoped object
     * that exists for a claim or Pod in it, such as a bound PersistentVolume or a mount.
     */
    static boolean concerns(String namespace, StoredObject object) {
        ObjectKey key = object.key();
        if (key.namespace().isPresent() || key.resource().equals("namespaces")) {
            return key.namespace().orElse(key.name()).equals(namespace);
        }
        JsonNode spec = object.tree().path("spec");
        for (String field : List.of("claimRef", "claim", "pod")) {
            if (isIn(namespace, spec.path(field))) {
                return true;
            }
        }
        for (JsonNode mount : object.tree().path("status").path("mounts")) {
            if (isIn(namespace, mount.path("pod"))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isIn(String namespace, JsonNode reference) {
        return reference.path("namespace").asText().equals(namespace);
    }
}
