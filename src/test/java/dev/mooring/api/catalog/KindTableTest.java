package dev.mooring.api.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.api.kind.Kind;
import dev.mooring.api.schema.Schemas;
import dev.mooring.model.KindResources;
import java.time.Clock;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KindTableTest {
    private static final Catalog CATALOG = new KindTable(Schemas.ofThisProgram(), Clock.systemUTC()).catalog();

    static Stream<Kind> kinds() {
        return CATALOG.all().stream();
    }

    @Test
    void servesWhatControllersKnow() {
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
    void knowsTheShapeAndTheColumnsOfEachKind(Kind kind) {
        assertThat(kind.schema().name()).isEqualTo(kind.names().kind());
        assertThat(kind.schema().field("metadata")).isPresent();
        assertThat(kind.schema().field("status").isPresent() || !kind.hasStatus())
                .as("a status to write to")
                .isTrue();
        assertThat(kind.columns()).anyMatch(column -> column.format().equals("name"));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void findsEachKindByPathAndByResource(Kind kind) {
        assertThat(CATALOG.find(
                        kind.names().group(),
                        kind.names().version(),
                        kind.names().plural()))
                .contains(kind);
        assertThat(CATALOG.ofResource(kind.resource())).contains(kind);
    }

    @Test
    void givesShortNamesOnce() {
        assertThat(kinds().flatMap(kind -> Stream.concat(
                        Stream.of(kind.names().plural(), kind.names().singular()), kind.names().shortNames().stream())))
                .doesNotHaveDuplicates();
    }
}
