package dev.mooring.api.types;

import dev.mooring.api.rules.MetadataRules;
import dev.mooring.api.rules.Rules;
import dev.mooring.api.types.SchemaType.Struct;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.SelectableField;
import java.util.List;
import java.util.Optional;

/**
 * A kind of objects with everything the API needs to serve it. The catalog is the table of kinds.
 *
 * @param metadata rules for names and other metadata
 * @param columns of {@code kubectl get}
 * @param selectable fields for field selectors, besides name and namespace
 * @param scale the kind of its {@code /scale} subresource; empty if it has none
 */
public record KindDefinition(
        KindNames names,
        KindScope kindScope,
        Struct schema,
        StatusSubresource status,
        MetadataRules metadata,
        Rules rules,
        List<Column> columns,
        List<SelectableField> selectable,
        Optional<KindDefinition> scale) {

    /** Whether objects of the kind are namespaced. */
    public enum KindScope {
        NAMESPACED,
        CLUSTER
    }

    /** Whether the kind has a {@code /status} subresource. */
    public enum StatusSubresource {
        SEPARATE,
        NONE
    }

    public boolean isNamespaced() {
        return kindScope == KindScope.NAMESPACED;
    }

    public boolean hasStatus() {
        return status == StatusSubresource.SEPARATE;
    }

    /** Returns the decoder for bodies of writes. */
    public KindDecoder decoder() {
        return new KindDecoder(names.group(), names.version(), schema);
    }

    /** Returns the resource of an {@link ObjectKey}: {@code storageclasses.storage.k8s.io}. */
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
