package dev.mooring.api.resource;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.table.ListMeta;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Selection;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A list, or a page of it, at one revision.
 *
 * @param objects in key order; Events that fit into one page, in chronological order: kubectl describe sorts them by
 *     their time in seconds and keeps the order within a second
 */
public record Page(List<StoredObject> objects, ListMeta meta) {
    private static final String EVENTS = "events";

    /**
     * Reads a page. May be slow if many objects have to be scanned: see {@link #maxObjectsScanned}.
     *
     * @param only visible namespaces; empty for all
     * @param limit maximum number of objects; 0 for all
     * @param after the last key of the previous page
     */
    public static Page read(
            World world,
            Optional<Set<String>> only,
            ResourceRef target,
            Selection selection,
            long limit,
            Optional<ObjectKey> after) {
        Optional<ObjectKey> onlyKey = onlyKey(target, selection);
        if (onlyKey.isPresent()) {
            List<StoredObject> found = world.get(onlyKey.get())
                    .filter(object -> after.isEmpty() && isShown(only, object) && selection.matches(object))
                    .map(List::of)
                    .orElse(List.of());
            return new Page(found, ListMeta.at(Long.toString(world.revision())));
        }
        var scope = target.kind().scope(target.namespace());
        Iterator<StoredObject> rest =
                (after.isPresent() ? world.listAfter(scope, after.get()) : world.list(scope)).iterator();
        List<StoredObject> objects = new ArrayList<>();
        boolean all = selection.isEverything() && only.isEmpty();
        while (rest.hasNext() && (limit == 0 || objects.size() < limit)) {
            StoredObject object = rest.next();
            if (all || (isShown(only, object) && selection.matches(object))) {
                objects.add(object);
            }
        }
        if (!rest.hasNext()) {
            if (after.isEmpty() && target.kind().names().plural().equals(EVENTS)) {
                objects.sort(Comparator.comparingLong(StoredObject::revision));
            }
            return new Page(objects, ListMeta.at(Long.toString(world.revision())));
        }
        ObjectKey last = objects.get(objects.size() - 1).key();
        return new Page(
                objects,
                new ListMeta(
                        Long.toString(world.revision()),
                        Optional.of(new ContinueToken(world.revision(), last).text()),
                        all ? remaining(world, target, last) : OptionalLong.empty()));
    }

    /** Returns whether an object is visible; a Namespace is in itself. */
    private static boolean isShown(Optional<Set<String>> only, StoredObject object) {
        return only.isEmpty()
                || only.get()
                        .contains(object.key().namespace().orElse(object.key().name()));
    }

    /** Returns the maximum number of objects that a read has to scan. */
    public static int maxObjectsScanned(World world, ResourceRef target, Selection selection) {
        return onlyKey(target, selection).isPresent()
                ? 1
                : world.count(target.kind().scope(target.namespace()));
    }

    /** Returns the key if at most one object can match. */
    private static Optional<ObjectKey> onlyKey(ResourceRef target, Selection selection) {
        return target.kind().isNamespaced() && target.namespace().isEmpty()
                ? Optional.empty()
                : selection.exactName().map(target::key);
    }

    private static OptionalLong remaining(World world, ResourceRef target, ObjectKey last) {
        return OptionalLong.of(world.countAfter(target.kind().scope(target.namespace()), last));
    }

    /**
     * The position at which a list continues: after a key, in the World of the first page. Clients treat it as opaque
     * but can forge it, so a page is served only if the user may read the revision anyway.
     */
    public record ContinueToken(long revision, ObjectKey last) {
        public ContinueToken {
            if (revision < 0) {
                throw new IllegalArgumentException("revision must not be negative, got " + revision);
            }
        }

        public String text() {
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString((revision + " " + last.text()).getBytes(StandardCharsets.UTF_8));
        }

        public static ContinueToken parse(String text) {
            try {
                String plain = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
                int space = plain.indexOf(' ');
                return new ContinueToken(
                        Long.parseLong(plain.substring(0, space)), ObjectKey.parse(plain.substring(space + 1)));
            } catch (IllegalArgumentException | StringIndexOutOfBoundsException e) {
                throw new StatusException(Status.badRequest("continue key is not valid: \"" + text
                        + "\" is not a token of this server; list again without it"));
            }
        }
    }
}
