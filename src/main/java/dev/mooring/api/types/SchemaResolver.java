package dev.mooring.api.types;

import dev.mooring.api.types.Declaration.FieldAttributes;
import dev.mooring.api.types.Declaration.FieldLine;
import dev.mooring.api.types.Declaration.Include;
import dev.mooring.api.types.Declaration.Member;
import dev.mooring.api.types.Declaration.Merging;
import dev.mooring.api.types.SchemaException.SourceLocation;
import dev.mooring.api.types.SchemaType.ListKind;
import dev.mooring.api.types.SchemaType.ListOf;
import dev.mooring.api.types.SchemaType.MapOf;
import dev.mooring.api.types.SchemaType.Scalar;
import dev.mooring.api.types.SchemaType.Struct;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Resolves declarations into types: looks up names, copies parts into the types that include them, and rejects errors
 * (an undeclared name, a duplicate field, a key that the elements lack). Used for one load; not thread-safe.
 */
final class SchemaResolver {
    private static final Map<String, Scalar> SCALARS = Map.ofEntries(
            Map.entry("string", Scalar.STRING),
            Map.entry("int32", Scalar.INT32),
            Map.entry("int64", Scalar.INT64),
            Map.entry("double", Scalar.DOUBLE),
            Map.entry("boolean", Scalar.BOOLEAN),
            Map.entry("quantity", Scalar.QUANTITY),
            Map.entry("time", Scalar.TIME),
            Map.entry("microTime", Scalar.MICRO_TIME),
            Map.entry("intOrString", Scalar.INT_OR_STRING),
            Map.entry("bytes", Scalar.BYTES),
            Map.entry("any", Scalar.ANY));

    private final Map<String, Declaration> declarations = new LinkedHashMap<>();
    private final Map<String, Struct> structs = new LinkedHashMap<>();
    /** Declarations being resolved, outermost first; meeting one of them again is a cycle. */
    private final Set<String> open = new LinkedHashSet<>();

    private SchemaResolver() {}

    /** Returns all types, in the order of the files. */
    static Map<String, Struct> resolve(List<Declaration> declarations) {
        SchemaResolver resolver = new SchemaResolver();
        for (Declaration declaration : declarations) {
            resolver.declare(declaration);
        }
        Map<String, Struct> inOrder = new LinkedHashMap<>();
        for (Declaration declaration : declarations) {
            if (!declaration.part()) {
                inOrder.put(declaration.name(), resolver.struct(declaration));
            }
        }
        return inOrder;
    }

    private void declare(Declaration declaration) {
        String name = declaration.name();
        Declaration earlier = declarations.putIfAbsent(name, declaration);
        if (earlier != null) {
            throw new SchemaException(
                    declaration.location(),
                    "duplicate declaration of " + name + ", first declared at " + earlier.location());
        }
        if (SCALARS.containsKey(name)) {
            throw new SchemaException(declaration.location(), name + " is the name of a scalar; choose another name");
        }
    }

    private Struct struct(Declaration declaration) {
        Struct known = structs.get(declaration.name());
        if (known != null) {
            return known;
        }
        Map<String, SchemaField> fields = new LinkedHashMap<>();
        collect(declaration, fields);
        Struct struct = new Struct(
                declaration.name(), declaration.description(), declaration.atomic(), List.copyOf(fields.values()));
        structs.put(declaration.name(), struct);
        return struct;
    }

    /** Adds own fields and those of included parts. */
    private void collect(Declaration declaration, Map<String, SchemaField> fields) {
        if (!open.add(declaration.name())) {
            throw new SchemaException(declaration.location(), declaration.name() + " contains itself: " + open);
        }
        for (Member member : declaration.members()) {
            if (member instanceof Include include) {
                collect(part(include), fields);
            } else if (member instanceof FieldLine line && fields.putIfAbsent(line.name(), field(line)) != null) {
                throw new SchemaException(line.location(), "duplicate field " + line.name());
            }
        }
        open.remove(declaration.name());
    }

    private Declaration part(Include include) {
        Declaration part = declarations.get(include.part());
        if (part == null || !part.part()) {
            throw new SchemaException(include.location(), "unknown part " + include.part());
        }
        return part;
    }

    private SchemaField field(FieldLine line) {
        FieldAttributes attributes = line.attributes();
        SchemaType type = merged(type(line.type(), line), line);
        if (attributes.patch() == SchemaField.PatchStrategy.MERGE
                || attributes.patch() == SchemaField.PatchStrategy.MERGE_AND_RETAIN_KEYS) {
            checkMerge(type, line);
        }
        return new SchemaField(
                line.name(),
                type,
                attributes.required(),
                line.description(),
                attributes.patch(),
                attributes.mergeKey(),
                attributes.defaultText());
    }

    private SchemaType type(String written, FieldLine line) {
        int last = written.length() - 1;
        if (written.charAt(0) == '[' && written.charAt(last) == ']' && last > 1) {
            return new ListOf(type(written.substring(1, last), line), ListKind.ATOMIC, List.of());
        }
        if (written.charAt(0) == '{' && written.charAt(last) == '}' && last > 1) {
            return new MapOf(type(written.substring(1, last), line), false);
        }
        Scalar scalar = SCALARS.get(written);
        if (scalar != null) {
            return scalar;
        }
        Declaration declaration = declarations.get(written);
        if (declaration == null || declaration.part()) {
            throw new SchemaException(line.location(), "unknown type " + written + " of field " + line.name());
        }
        return struct(declaration);
    }

    /** Returns the type with the server-side apply attributes of the line. */
    private static SchemaType merged(SchemaType type, FieldLine line) {
        if (line.attributes().merging().isEmpty()) {
            return type;
        }
        Merging merging = line.attributes().merging().get();
        if (type instanceof ListOf list) {
            switch (merging) {
                case ATOMIC -> {
                    return list;
                }
                case SET -> {
                    if (list.element() instanceof Scalar) {
                        return new ListOf(list.element(), ListKind.SET, List.of());
                    }
                }
                case MAP -> {
                    List<String> keys = line.attributes().keys();
                    for (String key : keys) {
                        checkKey(list.element(), key, line);
                    }
                    return new ListOf(list.element(), ListKind.MAP, keys);
                }
                case GRANULAR -> {}
            }
        } else if (type instanceof MapOf map && merging == Merging.ATOMIC) {
            return new MapOf(map.value(), true);
        } else if (type instanceof MapOf && merging == Merging.GRANULAR) {
            return type;
        } else if (type instanceof Struct struct && merging == Merging.GRANULAR) {
            return granular(struct);
        }
        throw new SchemaException(
                line.location(),
                "attribute " + merging + " does not apply to field " + line.name() + " of type " + line.type());
    }

    /**
     * Returns a granular copy of the type: Kubernetes does this for a volume's {@code claimRef}, whose type is atomic
     * elsewhere.
     */
    private static Struct granular(Struct struct) {
        List<SchemaField> fields = new ArrayList<>();
        struct.fields().forEach(fields::add);
        return new Struct(struct.name(), struct.description(), false, fields);
    }

    private static void checkMerge(SchemaType type, FieldLine line) {
        if (!(type instanceof ListOf list)) {
            throw new SchemaException(
                    line.location(), "merge applies to lists only, field " + line.name() + " is " + line.type());
        }
        if (line.attributes().mergeKey().isPresent()) {
            checkKey(list.element(), line.attributes().mergeKey().get(), line);
        } else if (!(list.element() instanceof Scalar)) {
            throw new SchemaException(
                    line.location(), "list of objects needs merge=key, field " + line.name() + " has no key");
        }
    }

    private static void checkKey(SchemaType element, String key, FieldLine line) {
        SourceLocation place = line.location();
        if (!(element instanceof Struct struct)) {
            throw new SchemaException(
                    place, "a key applies to lists of objects only, field " + line.name() + " is " + line.type());
        }
        Optional<SchemaField> field = struct.field(key);
        if (field.isEmpty()) {
            throw new SchemaException(
                    place, "key " + key + " of field " + line.name() + " is not a field of " + struct.name());
        }
        if (!(field.get().type() instanceof Scalar)) {
            throw new SchemaException(
                    place,
                    "key " + key + " of field " + line.name() + " must be a scalar, got "
                            + field.get().type());
        }
    }
}
