package dev.mooring.api.resource;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.api.types.KindDefinition;
import dev.mooring.api.types.Schemas;
import dev.mooring.model.KindResources;
import java.time.Clock;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KindTableTest {
    private static final Catalog CATALOG = new KindTable(Schemas.ofThisProgram(), Clock.systemUTC()).catalog();

    static Stream<KindDefinition> kinds() {
        return CATALOG.all().stream();
    }

    @Test
    void catalog_servesExactlyTheKindsOfKindResources() {
        List<String> served = kinds().map(kind -> kind.names().apiVersion() + " "
                        + kind.names().kind() + " " + kind.resource() + " " + kind.isNamespaced())
                .sorted()
                .toList();
        List<String> known = KindResources.all().stream()
                .map(entry ->
                        entry.apiVersion() + " " + entry.kind() + " " + entry.resource() + " " + entry.isNamespaced())
                .sorted()
                .toList();

        assertThat(served).isEqualTo(known);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void kind_hasMatchingSchemaAndNameColumn(KindDefinition kind) {
        assertThat(kind.schema().name()).isEqualTo(kind.names().kind());
        assertThat(kind.schema().field("metadata")).isPresent();
        assertThat(kind.schema().field("status").isPresent() || !kind.hasStatus())
                .as("schema with a status field")
                .isTrue();
        assertThat(kind.columns()).anyMatch(column -> column.format().equals("name"));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void catalog_findsKindByGroupVersionPluralAndByResource(KindDefinition kind) {
        assertThat(CATALOG.find(
                        kind.names().group(),
                        kind.names().version(),
                        kind.names().plural()))
                .contains(kind);
        assertThat(CATALOG.ofResource(kind.resource())).contains(kind);
    }

    @Test
    void catalog_resourceNamesAndShortNames_areUnique() {
        assertThat(kinds().flatMap(kind -> Stream.concat(
                        Stream.of(kind.names().plural(), kind.names().singular()), kind.names().shortNames().stream())))
                .doesNotHaveDuplicates();
    }

    @Test
    void quotaResources_coverNamespacedKindsThatUsersCreate() {
        List<String> ofControllers = List.of("events", "leases.coordination.k8s.io", "endpointslices.discovery.k8s.io");
        assertThat(KindTable.QUOTA_RESOURCES)
                .containsExactlyInAnyOrderElementsOf(CATALOG.all().stream()
                        .filter(KindDefinition::isNamespaced)
                        .map(KindDefinition::resource)
                        .filter(resource -> !ofControllers.contains(resource))
                        .toList());
    }
}
