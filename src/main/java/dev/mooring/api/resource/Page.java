package dev.mooring.api.resource;

import dev.mooring.api.table.ListMeta;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.select.Selection;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Part of a list, or all of it, as of one revision.
 *
 * @param objects in the order of their keys
 */
public record Page(List<StoredObject> objects, ListMeta meta) {
    /**
     * Reads a page. May take long where much has to be looked through: see {@link #looksAt}.
     *
     * @param limit how many objects at most; 0 for all
     * @param after the key the page before ended with
     */
    public static Page read(World world, Target target, Selection selection, long limit, Optional<ObjectKey> after) {
        Optional<ObjectKey> only = onlyKey(target, selection);
        if (only.isPresent()) {
            List<StoredObject> found = world.get(only.get())
                    .filter(object -> after.isEmpty() && selection.matches(object))
                    .map(List::of)
                    .orElse(List.of());
            return new Page(found, ListMeta.at(Long.toString(world.revision())));
        }
        var scope = target.kind().scope(target.namespace());
        Iterator<StoredObject> rest =
                (after.isPresent() ? world.listAfter(scope, after.get()) : world.list(scope)).iterator();
        List<StoredObject> objects = new ArrayList<>();
        boolean all = selection.isEverything();
        while (rest.hasNext() && (limit == 0 || objects.size() < limit)) {
            StoredObject object = rest.next();
            if (all || selection.matches(object)) {
                objects.add(object);
            }
        }
        if (!rest.hasNext()) {
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

    /** How many objects have to be looked at to answer, at most. */
    public static int looksAt(World world, Target target, Selection selection) {
        return onlyKey(target, selection).isPresent()
                ? 1
                : world.count(target.kind().scope(target.namespace()));
    }

    /** The only object that can be meant. */
    private static Optional<ObjectKey> onlyKey(Target target, Selection selection) {
        return target.kind().isNamespaced() && target.namespace().isEmpty()
                ? Optional.empty()
                : selection.exactName().map(target::key);
    }

    private static OptionalLong remaining(World world, Target target, ObjectKey last) {
        return OptionalLong.of(world.countAfter(target.kind().scope(target.namespace()), last));
    }
}
