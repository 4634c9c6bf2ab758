package dev.mooring.api.types;

import dev.mooring.api.types.SchemaType.Struct;
import java.util.Arrays;

/**
 * The current path of a walk through an object. Costs two array writes per step; text is only built for messages. Not
 * thread-safe.
 */
final class DecodePath {
    private static final int FIELD = -1;
    private static final int KEY = -2;

    private String[] names = new String[16];

    /** {@link #FIELD}, {@link #KEY}, or an index. */
    private int[] steps = new int[16];

    private Struct[] structs = new Struct[16];
    private int depth;

    void enterField(Struct of, String name) {
        enter(of, name, FIELD);
    }

    void enterKey(String key) {
        enter(null, key, KEY);
    }

    void enterElement(int index) {
        enter(null, null, index);
    }

    void leave() {
        depth--;
    }

    private void enter(Struct of, String name, int step) {
        if (depth == steps.length) {
            names = Arrays.copyOf(names, depth * 2);
            steps = Arrays.copyOf(steps, depth * 2);
            structs = Arrays.copyOf(structs, depth * 2);
        }
        names[depth] = name;
        steps[depth] = step;
        structs[depth] = of;
        depth++;
    }

    /** Returns the path with one more field: {@code spec.containers[0].image}. */
    String path(String field) {
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < depth; i++) {
            if (steps[i] >= 0) {
                path.append('[').append(steps[i]).append(']');
            } else {
                path.append(i == 0 ? "" : ".").append(names[i]);
            }
        }
        return path.append(path.isEmpty() ? "" : ".").append(field).toString();
    }

    /** Returns the innermost field of the path. */
    String field() {
        int i = depth - 1;
        while (i >= 0 && steps[i] != FIELD) {
            i--;
        }
        return i < 0 ? "" : names[i];
    }

    /**
     * Returns {@code Container.spec.containers.image}: the innermost struct and the fields of the path; Go omits keys
     * and indexes.
     */
    String goField() {
        String struct = "";
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < depth; i++) {
            if (steps[i] == FIELD) {
                struct = structs[i].name();
                path.append('.').append(names[i]);
            }
        }
        return struct + path;
    }
}
