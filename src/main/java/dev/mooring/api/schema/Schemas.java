package dev.mooring.api.schema;

import dev.mooring.api.schema.Type.Struct;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * The shapes of all objects this program serves, as its schema files describe them (see {@link SchemaParser} for the format). Whole
 * and consistent, or not there at all. Immutable, for all threads.
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
            "access.schema",
            "mooring.schema");

    private final Map<String, Struct> structs;

    private Schemas(Map<String, Struct> structs) {
        this.structs = structs;
    }

    /** Those of the files in the program; read when first asked for. */
    public static Schemas ofThisProgram() {
        return OfThisProgram.SCHEMAS;
    }

    /** Read anew from the files in the program. */
    static Schemas load() {
        List<Declaration> declarations = new ArrayList<>();
        for (String file : FILES) {
            declarations.addAll(SchemaParser.parse(file, read(file)));
        }
        return of(declarations);
    }

    /** @throws BrokenSchema if they do not fit together */
    static Schemas of(List<Declaration> declarations) {
        return new Schemas(SchemaResolver.resolve(declarations));
    }

    /**
     * The type of this name: {@code PersistentVolumeClaimSpec}.
     *
     * @throws IllegalArgumentException if there is none
     */
    public Struct struct(String name) {
        Struct struct = structs.get(name);
        if (struct == null) {
            throw new IllegalArgumentException("Expected the name of a type of the schema, but got " + name);
        }
        return struct;
    }

    /** Every type, in the order of the files. */
    public Collection<Struct> all() {
        return Collections.unmodifiableCollection(structs.values());
    }

    private static byte[] read(String file) {
        try (InputStream in = Schemas.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("Expected " + file + " in the program, but it is not there");
            }
            return in.readAllBytes();
        } catch (IOException failure) {
            throw new UncheckedIOException("Expected to read " + file + " from the program, but that failed", failure);
        }
    }

    /** Loaded with the class, that is, on first use and once. */
    private static final class OfThisProgram {
        static final Schemas SCHEMAS = load();
    }
}
