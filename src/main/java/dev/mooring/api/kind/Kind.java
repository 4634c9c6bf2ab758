package dev.mooring.api.kind;

import dev.mooring.api.decode.Decoder;
import dev.mooring.api.rules.MetadataRules;
import dev.mooring.api.schema.Type.Struct;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.select.SelectableField;
import java.util.List;
import java.util.Optional;

/**
 * Everything the API has to know about a kind of objects. The catalog is the table of them.
 *
 * @param metadata what its objects may be called, and the like
 * @param columns of {@code kubectl get}
 * @param selectable by field selectors, besides name and namespace
 */
public record Kind(
        KindNames names,
        Reach reach,
        Struct schema,
        StatusWrites status,
        MetadataRules metadata,
        Rules rules,
        List<Column> columns,
        List<SelectableField> selectable) {

    /** Whether objects of the kind live in namespaces. */
    public enum Reach {
        NAMESPACED,
        CLUSTER
    }

    /** Whether there is a {@code /status} beside the object itself. */
    public enum StatusWrites {
        SEPARATE,
        NONE
    }

    public boolean isNamespaced() {
        return reach == Reach.NAMESPACED;
    }

    public boolean hasStatus() {
        return status == StatusWrites.SEPARATE;
    }

    /** Reads the bodies of writes, and words what is wrong with them. */
    public Decoder decoder() {
        return new Decoder(names.group(), names.version(), schema);
    }

    /** The resource part of an {@link ObjectKey}: {@code storageclasses.storage.k8s.io}. */
    public String resource() {
        return names.resource();
    }

    public ObjectKey key(Optional<String> namespace, String name) {
        return namespace.isPresent()
                ? ObjectKey.namespaced(resource(), namespace.get(), name)
                : ObjectKey.clusterWide(resource(), name);
    }

    public Scope scope(Optional<String> namespace) {
        return namespace.isPresent() ? Scope.namespace(resource(), namespace.get()) : Scope.resource(resource());
    }

    @Override
    public String toString() {
        return names.kind();
    }
}
