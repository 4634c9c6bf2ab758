package dev.mooring.api.schema;

import dev.mooring.api.schema.BrokenSchema.Place;
import dev.mooring.api.schema.Declaration.Attributes;
import dev.mooring.api.schema.Declaration.FieldLine;
import dev.mooring.api.schema.Declaration.Include;
import dev.mooring.api.schema.Declaration.Member;
import dev.mooring.api.schema.Declaration.Merging;
import dev.mooring.api.schema.Type.ListKind;
import dev.mooring.api.schema.Type.ListOf;
import dev.mooring.api.schema.Type.MapOf;
import dev.mooring.api.schema.Type.Scalar;
import dev.mooring.api.schema.Type.Struct;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Turns declarations into types: looks up names, copies parts into the types that include them, and refuses what makes no sense
 * (a name nobody declared, a field twice, a key its elements lack). For one load and one thread.
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
    /** What is being resolved, outermost first: whoever meets one of these again is within itself. */
    private final Set<String> open = new LinkedHashSet<>();

    private SchemaResolver() {}

    /** All types, in the order of the files. */
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
            throw new BrokenSchema(
                    declaration.place(),
                    "Expected one declaration of " + name + ", but " + earlier.place() + " has one too");
        }
        if (SCALARS.containsKey(name)) {
            throw new BrokenSchema(declaration.place(), "Expected a name of its own, but " + name + " is a scalar");
        }
    }

    private Struct struct(Declaration declaration) {
        Struct known = structs.get(declaration.name());
        if (known != null) {
            return known;
        }
        Map<String, Field> fields = new LinkedHashMap<>();
        collect(declaration, fields);
        Struct struct = new Struct(
                declaration.name(), declaration.description(), declaration.atomic(), List.copyOf(fields.values()));
        structs.put(declaration.name(), struct);
        return struct;
    }

    /** Adds own fields and those of included parts. */
    private void collect(Declaration declaration, Map<String, Field> fields) {
        if (!open.add(declaration.name())) {
            throw new BrokenSchema(
                    declaration.place(),
                    "Expected types that end somewhere, but " + declaration.name() + " contains itself: " + open);
        }
        for (Member member : declaration.members()) {
            if (member instanceof Include include) {
                collect(part(include), fields);
            } else if (member instanceof FieldLine line && fields.putIfAbsent(line.name(), field(line)) != null) {
                throw new BrokenSchema(
                        line.place(), "Expected each field once, but " + line.name() + " is there a second time");
            }
        }
        open.remove(declaration.name());
    }

    private Declaration part(Include include) {
        Declaration part = declarations.get(include.part());
        if (part == null || !part.part()) {
            throw new BrokenSchema(include.place(), "Expected the name of a part, but none is named " + include.part());
        }
        return part;
    }

    private Field field(FieldLine line) {
        Attributes attributes = line.attributes();
        Type type = merged(type(line.type(), line), line);
        if (attributes.patch() == Field.PatchStrategy.MERGE
                || attributes.patch() == Field.PatchStrategy.MERGE_AND_RETAIN_KEYS) {
            checkMerge(type, line);
        }
        return new Field(
                line.name(),
                type,
                attributes.required(),
                line.description(),
                attributes.patch(),
                attributes.mergeKey(),
                attributes.defaultText());
    }

    private Type type(String written, FieldLine line) {
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
            throw new BrokenSchema(
                    line.place(), "Expected a known type for field " + line.name() + ", but none is named " + written);
        }
        return struct(declaration);
    }

    /** The type with what the line says about server-side apply. */
    private static Type merged(Type type, FieldLine line) {
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
        throw new BrokenSchema(
                line.place(),
                "Expected an attribute that fits field " + line.name() + " of type " + line.type() + ", but found "
                        + merging);
    }

    /** The same type, field by field: Kubernetes says so of a volume's {@code claimRef}, whose type is atomic elsewhere. */
    private static Struct granular(Struct struct) {
        List<Field> fields = new ArrayList<>();
        struct.fields().forEach(fields::add);
        return new Struct(struct.name(), struct.description(), false, fields);
    }

    private static void checkMerge(Type type, FieldLine line) {
        if (!(type instanceof ListOf list)) {
            throw new BrokenSchema(
                    line.place(), "Expected merge only for lists, but field " + line.name() + " is " + line.type());
        }
        if (line.attributes().mergeKey().isPresent()) {
            checkKey(list.element(), line.attributes().mergeKey().get(), line);
        } else if (!(list.element() instanceof Scalar)) {
            throw new BrokenSchema(
                    line.place(), "Expected merge=key for a list of objects, but field " + line.name() + " has no key");
        }
    }

    private static void checkKey(Type element, String key, FieldLine line) {
        Place place = line.place();
        if (!(element instanceof Struct struct)) {
            throw new BrokenSchema(
                    place, "Expected a key only for lists of objects, but field " + line.name() + " is " + line.type());
        }
        Optional<Field> field = struct.field(key);
        if (field.isEmpty()) {
            throw new BrokenSchema(
                    place,
                    "Expected a field of " + struct.name() + " as key of " + line.name() + ", but it has no " + key);
        }
        if (!(field.get().type() instanceof Scalar)) {
            throw new BrokenSchema(
                    place,
                    "Expected a scalar as key of " + line.name() + ", but " + key + " is "
                            + field.get().type());
        }
    }
}
