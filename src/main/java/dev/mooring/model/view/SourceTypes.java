package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.StoredObject;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Predicate;

/**
 * The known types of volume sources: those that {@code META-INF/services} lists, in that order. Immutable; thread-safe.
 */
public final class SourceTypes {
    private static final List<SourceType> ALL =
            ServiceLoader.load(SourceType.class, SourceType.class.getClassLoader()).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList();

    private SourceTypes() {}

    public static List<SourceType> all() {
        return ALL;
    }

    private static Optional<SourceType> first(Predicate<SourceType> condition) {
        return ALL.stream().filter(condition).findFirst();
    }

    /** Returns the type of the source in a spec; empty if no plugin mounts it. */
    public static Optional<SourceType> of(JsonNode spec) {
        return first(type -> type.isIn(spec));
    }

    public static Optional<SourceType> ofPlugin(String plugin) {
        return first(type -> type.plugin().equals(plugin));
    }

    public static Optional<SourceType> ofProvisioner(String provisioner) {
        return first(type -> type.provisioner().filter(provisioner::equals).isPresent());
    }

    /** Returns the first provisioner whose type meets the condition, to recommend it; "" for none. */
    public static String provisionerWith(Predicate<SourceType> condition) {
        return first(type -> type.provisioner().isPresent() && condition.test(type))
                .flatMap(SourceType::provisioner)
                .orElse("");
    }

    /** Returns the fields that can have the source of a PersistentVolume. */
    public static List<String> persistentFields() {
        return ALL.stream()
                .filter(SourceType::isPersistent)
                .map(SourceType::field)
                .distinct()
                .toList();
    }

    /** Returns a copy of the source in the spec of a PersistentVolume; an empty object if it has no known one. */
    public static ObjectNode source(JsonNode spec) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        persistentFields().stream()
                .filter(spec::hasNonNull)
                .forEach(field -> source.set(field, spec.get(field).deepCopy()));
        return source;
    }

    /** Returns the server of a source; "" if it has none. */
    public static String server(JsonNode spec) {
        return of(spec).map(type -> type.server(spec)).orElse("");
    }

    /** Returns the directory of a source on the node; "" if it has none. */
    public static String directory(JsonNode spec) {
        return of(spec).map(type -> type.directory(spec)).orElse("");
    }

    /** Returns the device image of a source on the node, even if the source is incomplete; "" if it has none. */
    public static String image(JsonNode spec) {
        return ALL.stream()
                .map(type -> type.image(spec))
                .filter(image -> !image.isEmpty())
                .findFirst()
                .orElse("");
    }

    /** Returns whether an object may have a source of a type that meets the condition. Does not parse the object. */
    public static boolean mayHave(StoredObject object, Predicate<SourceType> condition) {
        return ALL.stream().anyMatch(type -> condition.test(type) && object.containsText(type.marker()));
    }
}
