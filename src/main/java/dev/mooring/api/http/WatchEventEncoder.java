package dev.mooring.api.http;

import dev.mooring.api.Status;
import dev.mooring.api.table.TableWriter.Headers;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.Scope;
import dev.mooring.model.Selection;
import dev.mooring.model.StoredObject;
import dev.mooring.world.WorldEvent;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/**
 * Encodes events for one watch: an object that enters its selection is ADDED, one that leaves it is DELETED, regardless
 * of the change. Not thread-safe.
 */
final class WatchEventEncoder implements WatchLines {
    private static final byte[] ADDED = start("ADDED");
    private static final byte[] MODIFIED = start("MODIFIED");
    private static final byte[] DELETED = start("DELETED");
    private static final byte[] BOOKMARK = start("BOOKMARK");
    private static final byte[] ERROR = start("ERROR");
    private static final byte[] END = "}\n".getBytes(StandardCharsets.US_ASCII);

    private final KindDefinition kind;
    private final Scope scope;
    private final Selection selection;
    private final ResponseFormat form;
    private final Clock clock;

    /** Whether the watch has all objects as stored, so that the encoded line is shared with other such watches. */
    private final boolean shared;

    private Headers headers = Headers.SHOWN;

    WatchEventEncoder(KindDefinition kind, Scope scope, Selection selection, ResponseFormat form, Clock clock) {
        this.kind = kind;
        this.scope = scope;
        this.selection = selection;
        this.form = form;
        this.clock = clock;
        this.shared = selection.isEverything() && form.isPlain();
    }

    @Override
    public void append(WorldEvent event, Buffer to) {
        List<Change> changes = event.event().changes();
        for (int i = 0; i < changes.size(); i++) {
            if (scope.contains(changes.get(i).key())) {
                if (shared) {
                    to.appendBytes(event.line(i));
                } else {
                    append(event, i, changes.get(i), to);
                }
            }
        }
    }

    private void append(WorldEvent event, int index, Change change, Buffer to) {
        if (selection.isEverything()) {
            byte[] type = change.isRemoval() ? DELETED : change.isCreation() ? ADDED : MODIFIED;
            append(type, change.object().json(), to);
            return;
        }
        Optional<StoredObject> before = event.before(index).filter(selection::matches);
        if (!change.isRemoval() && selection.matches(change.object())) {
            append(before.isPresent() ? MODIFIED : ADDED, change.object().json(), to);
        } else if (before.isPresent()) {
            StoredObject last = Draft.of(before.get()).at(event.revision());
            append(DELETED, last.json(), to);
        }
    }

    /** Appends an object that existed before the watch started. */
    void appendInitial(StoredObject object, Buffer to) {
        if (selection.matches(object)) {
            append(ADDED, object.json(), to);
        }
    }

    private void append(byte[] type, byte[] json, Buffer to) {
        byte[] written = form.isPlain() ? json : form.encodeWatchObject(json, headers, clock.instant());
        headers = Headers.LEFT_OUT;
        to.appendBytes(type).appendBytes(written).appendBytes(END);
    }

    @Override
    public Buffer bookmark(long revision) {
        return bookmark(revision, "");
    }

    /** Returns the bookmark after the initial objects. */
    Buffer initialEventsEnd(long revision) {
        return bookmark(revision, ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}");
    }

    private Buffer bookmark(long revision, String more) {
        String json = "{\"kind\":\"" + kind.names().kind() + "\",\"apiVersion\":\""
                + kind.names().apiVersion() + "\",\"metadata\":{\"resourceVersion\":\"" + revision
                + "\",\"creationTimestamp\":null" + more + "}}";
        Buffer line = Buffer.buffer();
        append(BOOKMARK, json.getBytes(StandardCharsets.UTF_8), line);
        return line;
    }

    static Buffer error(Status status) {
        return Buffer.buffer().appendBytes(ERROR).appendBytes(status.toJson()).appendBytes(END);
    }

    private static byte[] start(String type) {
        return ("{\"type\":\"" + type + "\",\"object\":").getBytes(StandardCharsets.US_ASCII);
    }
}
