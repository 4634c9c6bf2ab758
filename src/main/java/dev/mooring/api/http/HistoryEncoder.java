package dev.mooring.api.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.mooring.api.resource.Catalog;
import dev.mooring.model.Cause;
import dev.mooring.model.Change;
import dev.mooring.model.CompactedException;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectDiff;
import dev.mooring.model.ObjectDiff.FieldChange;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.world.HistoryUnavailableException;
import dev.mooring.world.WorldEvent;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Encodes the events that match a filter, with the differences that each made to the objects that the user may see.
 * Events without such a change are left out. The content of Secrets is never included. Serves one request; not
 * thread-safe, and may read from disk.
 */
final class HistoryEncoder implements WatchLines {
    /** Resources whose changes are not shown unless asked for. */
    private static final Set<String> FOLDED = Set.of("events", "events.events.k8s.io", "leases.coordination.k8s.io");

    private static final String SECRETS = "secrets";

    private final HistoryFilter filter;
    private final HistoryVisibility visibility;
    private final Catalog catalog;
    private final boolean isFull;

    /** @param isFull whether to include whole objects */
    HistoryEncoder(HistoryFilter filter, HistoryVisibility visibility, Catalog catalog, boolean isFull) {
        this.filter = filter;
        this.visibility = visibility;
        this.catalog = catalog;
        this.isFull = isFull;
    }

    /** Returns the item of an event; empty if it does not match or has no visible change. */
    Optional<ObjectNode> encode(WorldEvent worldEvent) throws IOException {
        Event event = worldEvent.event();
        if (!filter.matches(event)) {
            return Optional.empty();
        }
        List<Integer> visible = new ArrayList<>();
        boolean isWanted = false;
        for (int i = 0; i < event.changes().size(); i++) {
            ObjectKey key = event.changes().get(i).key();
            if (visibility.isVisible(key, event.revision())) {
                visible.add(i);
                isWanted |= filter.matches(key);
            }
        }
        return isWanted ? Optional.of(item(worldEvent, visible)) : Optional.empty();
    }

    private ObjectNode item(WorldEvent worldEvent, List<Integer> visible) {
        Event event = worldEvent.event();
        ObjectNode item = JsonNodeFactory.instance.objectNode();
        item.put("revision", event.revision())
                .put("time", event.time().toString())
                .put("type", event.type())
                .put("actor", event.actor());
        cause(event.cause(), item.putObject("cause"));
        ArrayNode changes = JsonNodeFactory.instance.arrayNode();
        boolean isFolded = true;
        String reason = "";
        for (int i : visible) {
            Change change = event.changes().get(i);
            Optional<ObjectDiff> diff = diff(worldEvent, i);
            isFolded &= isFolded(change, diff);
            reason = reason.isEmpty() ? reason(change, diff) : reason;
            changes.add(change(change, diff));
        }
        item.put("reason", reason).put("folded", isFolded);
        item.set("changes", changes);
        return item;
    }

    private static void cause(Cause cause, ObjectNode to) {
        if (cause.revision() != 0) {
            to.put("revision", cause.revision());
        }
        if (!cause.request().isEmpty()) {
            to.put("request", cause.request());
        }
    }

    /** Returns the differences that a change made; empty if the state before is no longer retained. */
    private static Optional<ObjectDiff> diff(WorldEvent event, int number) {
        Change change = event.event().changes().get(number);
        if (change.isRemoval()) {
            return Optional.empty();
        }
        try {
            return Optional.of(ObjectDiff.between(event.before(number), Optional.of(change.object())));
        } catch (UncheckedIOException e) {
            if (e.getCause() instanceof CompactedException || e.getCause() instanceof HistoryUnavailableException) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private static boolean isFolded(Change change, Optional<ObjectDiff> diff) {
        if (FOLDED.contains(change.key().resource())) {
            return true;
        }
        return !change.isRemoval()
                && !change.isCreation()
                && diff.isPresent()
                && (diff.get().isEmpty() || diff.get().isStatusDetail());
    }

    /** Returns the reason that a change states: of a Kubernetes Event, an error, or a condition that is not true. */
    private static String reason(Change change, Optional<ObjectDiff> diff) {
        if (change.key().resource().startsWith("events")) {
            return change.object().tree().path("reason").asText();
        }
        List<FieldChange> fields = diff.map(ObjectDiff::fields).orElse(List.of());
        List<FieldChange> reasons = fields.stream()
                .filter(field -> field.path().endsWith(".reason") && field.to().isPresent())
                .filter(field -> !isOfTrueCondition(field, fields))
                .toList();
        return reasons.stream()
                .filter(field -> field.path().contains("rror."))
                .findFirst()
                .or(() -> reasons.stream().findFirst())
                .map(field -> field.to().orElseThrow().asText())
                .orElse("");
    }

    private static boolean isOfTrueCondition(FieldChange reason, List<FieldChange> fields) {
        String status = reason.path().replaceFirst("reason$", "status");
        return fields.stream()
                .anyMatch(field -> field.path().equals(status)
                        && field.to()
                                .filter(value -> value.asText().equals("True"))
                                .isPresent());
    }

    private ObjectNode change(Change change, Optional<ObjectDiff> diff) {
        ObjectKey key = change.key();
        StoredObject object = change.object();
        boolean isSecret = key.resource().equals(SECRETS);
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("change", change.isRemoval() ? "deleted" : change.isCreation() ? "created" : "updated")
                .put(
                        "resource",
                        catalog.ofResource(key.resource())
                                .map(kind -> kind.names().plural())
                                .orElse(key.resource()))
                .put("kind", object.tree().path("kind").asText());
        key.namespace().ifPresent(namespace -> json.put("namespace", namespace));
        json.put("name", key.name())
                .put("uid", object.tree().path("metadata").path("uid").asText())
                .put("summary", diff.map(ObjectDiff::summary).orElse(""));
        ArrayNode fields = json.putArray("fields");
        if (!isSecret && !change.isCreation()) {
            diff.ifPresent(found -> found.fields().forEach(field -> fields.add(field.toJson())));
        }
        if (isFull && !isSecret) {
            json.putRawValue(
                    "object", new RawValue(new String(object.jsonWithoutManagedFields(), StandardCharsets.UTF_8)));
        }
        return json;
    }

    @Override
    public void append(WorldEvent event, Buffer to) {
        try {
            encode(event)
                    .ifPresent(item -> to.appendString("{\"type\":\"ADDED\",\"object\":")
                            .appendString(item.toString())
                            .appendString("}\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Buffer bookmark(long revision) {
        return Buffer.buffer(
                "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"" + revision + "\"}}}\n");
    }
}
