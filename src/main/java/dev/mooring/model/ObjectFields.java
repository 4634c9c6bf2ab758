package dev.mooring.model;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads a few scalar fields from the JSON of stored objects. Used for every object of a filtered list and for every
 * event and watcher, so it builds no tree, skips other fields, and stops as soon as all fields are found.
 *
 * <p>The JSON must be as {@code Draft} writes it: an object without duplicate names. Immutable; thread-safe.
 */
public final class ObjectFields {
    /** Without interning: labels and annotations have arbitrary names, which would be kept. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .build();

    private static final int NOT_WANTED = -1;

    private final Branch root;
    private final int count;

    private ObjectFields(List<FieldPath> paths) {
        Branch.Builder builder = new Branch.Builder();
        for (int i = 0; i < paths.size(); i++) {
            builder.add(paths.get(i).names(), 0, i);
        }
        this.root = builder.build();
        this.count = paths.size();
    }

    /** @param paths must be distinct */
    public static ObjectFields at(List<FieldPath> paths) {
        if (paths.stream().distinct().count() != paths.size()) {
            throw new IllegalArgumentException("Field paths must be distinct, got " + paths);
        }
        return new ObjectFields(paths);
    }

    /** Returns all labels of an object. */
    public static Map<String, String> labels(byte[] json) {
        try (JsonParser parser = JSON.createParser(json)) {
            parser.nextToken();
            if (!enter(parser, "metadata") || !enter(parser, "labels")) {
                return Map.of();
            }
            Map<String, String> labels = new LinkedHashMap<>();
            for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
                JsonToken token = parser.nextToken();
                if (token.isStructStart()) {
                    parser.skipChildren();
                } else if (token != JsonToken.VALUE_NULL) {
                    labels.put(name, parser.getText());
                }
            }
            return labels;
        } catch (IOException e) {
            throw notJson(e);
        }
    }

    /**
     * Returns the fields in the order of the paths, as text: strings as they are, numbers and booleans as written,
     * everything else "".
     */
    public List<String> read(byte[] json) {
        String[] found = find(json);
        for (int i = 0; i < found.length; i++) {
            found[i] = found[i] == null ? "" : found[i];
        }
        return Arrays.asList(found);
    }

    /** Returns the fields as {@link #read} does, but null for missing ones: a label may be "". */
    String[] find(byte[] json) {
        String[] found = new String[count];
        try (JsonParser parser = JSON.createParser(json)) {
            if (parser.nextToken() == JsonToken.START_OBJECT) {
                fill(parser, root, found);
            }
            return found;
        } catch (IOException e) {
            throw notJson(e);
        }
    }

    /**
     * Reads the object that the parser has entered until all wanted fields are found. Returns how many objects the
     * parser is still inside; zero if it was read to its end.
     */
    private static int fill(JsonParser parser, Branch branch, String[] found) throws IOException {
        int missing = branch.names.length;
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            int at = branch.indexOf(name);
            JsonToken token = parser.nextToken();
            if (at == NOT_WANTED) {
                parser.skipChildren();
                continue;
            }
            int open = 0;
            if (token == JsonToken.START_OBJECT) {
                open = fill(parser, branch.branches[at], found);
            } else if (token == JsonToken.START_ARRAY) {
                parser.skipChildren();
            } else if (token != JsonToken.VALUE_NULL && branch.slots[at] != NOT_WANTED) {
                found[branch.slots[at]] = parser.getText();
            }
            missing--;
            if (missing == 0) {
                return open + 1;
            }
            leave(parser, open);
        }
        return 0;
    }

    private static void leave(JsonParser parser, int objects) throws IOException {
        for (int i = 0; i < objects; i++) {
            while (parser.nextFieldName() != null) {
                parser.nextToken();
                parser.skipChildren();
            }
        }
    }

    private static boolean enter(JsonParser parser, String wanted) throws IOException {
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            JsonToken token = parser.nextToken();
            if (name.equals(wanted)) {
                return token == JsonToken.START_OBJECT;
            }
            parser.skipChildren();
        }
        return false;
    }

    private static UncheckedIOException notJson(IOException e) {
        return new UncheckedIOException("Stored object is not valid JSON", e);
    }

    /**
     * The wanted fields of one object: each name with the index of its value, or with the wanted fields of the nested
     * object.
     */
    private static final class Branch {
        private final String[] names;
        private final int[] slots;
        private final Branch[] branches;

        private Branch(String[] names, int[] slots, Branch[] branches) {
            this.names = names;
            this.slots = slots;
            this.branches = branches;
        }

        /** Returns the index of a name. Linear, because there are few names. */
        private int indexOf(String name) {
            for (int i = 0; i < names.length; i++) {
                if (names[i].equals(name)) {
                    return i;
                }
            }
            return NOT_WANTED;
        }

        private static final class Builder {
            private final List<String> names = new ArrayList<>();
            private final List<Integer> slots = new ArrayList<>();
            private final List<Builder> branches = new ArrayList<>();

            private void add(List<String> path, int depth, int slot) {
                int at = names.indexOf(path.get(depth));
                if (at < 0) {
                    at = names.size();
                    names.add(path.get(depth));
                    slots.add(NOT_WANTED);
                    branches.add(new Builder());
                }
                if (depth == path.size() - 1) {
                    slots.set(at, slot);
                } else {
                    branches.get(at).add(path, depth + 1, slot);
                }
            }

            private Branch build() {
                return new Branch(
                        names.toArray(String[]::new),
                        slots.stream().mapToInt(Integer::intValue).toArray(),
                        branches.stream().map(Builder::build).toArray(Branch[]::new));
            }
        }
    }
}
