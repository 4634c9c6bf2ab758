package dev.mooring.api.types;

import dev.mooring.api.types.SchemaType.Struct;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * The schemas of all objects this program serves, from its schema files (see {@link SchemaParser} for the format).
 * Loading fails if they are not consistent. Immutable; thread-safe.
 */
public final class Schemas {
    private static final List<String> FILES = List.of(
            "meta.schema",
            "reference.schema",
            "volume-source.schema",
            "remote-volume.schema",
            "persistent-volume.schema",
            "storage.schema",
            "core.schema",
            "node.schema",
            "container.schema",
            "scheduling.schema",
            "pod.schema",
            "pod-status.schema",
            "policy.schema",
            "workload.schema",
            "batch.schema",
            "access.schema",
            "mooring.schema");

    private final Map<String, Struct> structs;

    private Schemas(Map<String, Struct> structs) {
        this.structs = structs;
    }

    /** Returns the schemas of the built-in files, loaded on first use. */
    public static Schemas ofThisProgram() {
        return OfThisProgram.SCHEMAS;
    }

    /** Loads the built-in files. */
    static Schemas load() {
        List<Declaration> declarations = new ArrayList<>();
        for (String file : FILES) {
            declarations.addAll(SchemaParser.parse(file, read(file)));
        }
        return of(declarations);
    }

    /** @throws SchemaException if they are not consistent */
    static Schemas of(List<Declaration> declarations) {
        return new Schemas(SchemaResolver.resolve(declarations));
    }

    /**
     * Returns the type of this name: {@code PersistentVolumeClaimSpec}.
     *
     * @throws IllegalArgumentException if there is none
     */
    public Struct struct(String name) {
        Struct struct = structs.get(name);
        if (struct == null) {
            throw new IllegalArgumentException("Unknown schema type " + name);
        }
        return struct;
    }

    /** Returns every type, in the order of the files. */
    public Collection<Struct> all() {
        return Collections.unmodifiableCollection(structs.values());
    }

    private static byte[] read(String file) {
        try (InputStream in = Schemas.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("Missing resource " + file);
            }
            return in.readAllBytes();
        } catch (IOException failure) {
            throw new UncheckedIOException("Failed to read resource " + file, failure);
        }
    }

    /** Holder that loads the schemas on first use. */
    private static final class OfThisProgram {
        static final Schemas SCHEMAS = load();
    }
}
