package dev.mooring.model;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** A scope, which is a range of key texts, contains exactly its keys. */
class ScopeProperties {
    /** Characters next to the slash in character order, so that wrong range bounds are found. */
    @Provide
    Arbitrary<String> part() {
        return Arbitraries.strings().withChars("a-.0").ofMinLength(1).ofMaxLength(3);
    }

    @Provide
    Arbitrary<ObjectKey> key() {
        return Combinators.combine(part(), part(), part())
                .as((resource, namespace, name) -> namespace.startsWith("a")
                        ? ObjectKey.namespaced(resource, namespace, name)
                        : ObjectKey.clusterWide(resource, name));
    }

    @Property
    void scope_ofResource_containsExactlyItsKeys(@ForAll("key") ObjectKey key, @ForAll("part") String resource) {
        assertThat(Scope.resource(resource).contains(key))
                .isEqualTo(key.resource().equals(resource));
    }

    @Property
    void scope_ofNamespace_containsExactlyItsKeys(
            @ForAll("key") ObjectKey key, @ForAll("part") String resource, @ForAll("part") String namespace) {
        boolean expected = key.resource().equals(resource)
                && key.namespace().map(namespace::equals).orElse(false);
        assertThat(Scope.namespace(resource, namespace).contains(key)).isEqualTo(expected);
    }

    @Property
    void scope_ofObjectOrAll_containsThatKeyOrAll(@ForAll("key") ObjectKey key, @ForAll("key") ObjectKey other) {
        assertThat(Scope.object(key).contains(other)).isEqualTo(key.equals(other));
        assertThat(Scope.all().contains(key)).isTrue();
    }
}
