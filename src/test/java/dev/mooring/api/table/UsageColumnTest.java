package dev.mooring.api.table;

import static dev.mooring.api.table.LenientJson.stored;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mooring.api.table.TableWriter.Headers;
import dev.mooring.api.table.TableWriter.Style;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests the Used column of claims, which Kubernetes does not have. */
class UsageColumnTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Style STYLE = new Style(AcceptHeader.MetaVersion.V1, TableWriter.IncludeObject.NONE);
    private static final byte[] DATA = stored("{metadata: {name: 'data', namespace: 'ns', resourceVersion: '7'}}");
    private static final byte[] LOGS = stored("{metadata: {name: 'logs', namespace: 'ns', resourceVersion: '8'}}");

    private final Map<String, String> known = new HashMap<>();
    private Instant measured = NOW;
    private final TableWriter claims = new TableWriter(Columns.of("PersistentVolumeClaim", new UsageSource() {
        @Override
        public boolean isEmpty() {
            return known.isEmpty();
        }

        @Override
        public Optional<Used> of(String namespace, String claim) {
            return Optional.ofNullable(known.get(namespace + '/' + claim)).map(text -> new Used(text, measured));
        }
    }));

    private static JsonNode json(byte[] bytes) throws IOException {
        return new ObjectMapper().readTree(bytes);
    }

    private static int columns(JsonNode table) {
        int columns = table.path("columnDefinitions").size();
        table.path("rows").forEach(row -> assertThat(row.path("cells")).hasSize(columns));
        return columns;
    }

    private JsonNode list() throws IOException {
        return json(LenientJson.concatenate(claims.list(List.of(DATA, LOGS), ListMeta.at("9"), STYLE, NOW)));
    }

    @Test
    void list_noUsageOfListedClaims_hasNoUsedColumn() throws IOException {
        int usual = Columns.PERSISTENT_VOLUME_CLAIM.size();
        assertThat(columns(list())).isEqualTo(usual);
        known.put("ns/another", "1Mi (1%)");
        assertThat(columns(list())).isEqualTo(usual);
        assertThat(columns(json(claims.one(DATA, STYLE, Headers.SHOWN, NOW)))).isEqualTo(usual);
    }

    @Test
    void list_usageOfOneClaim_addsWideUsedColumnAtEnd() throws IOException {
        known.put("ns/logs", "512Mi (50%)");
        JsonNode table = list();
        int last = columns(table) - 1;
        assertThat(last).isEqualTo(Columns.PERSISTENT_VOLUME_CLAIM.size());
        assertThat(table.path("columnDefinitions").path(last).path("name").asText())
                .isEqualTo("Used");
        assertThat(table.path("columnDefinitions").path(last).path("priority").asInt())
                .isEqualTo(1);
        assertThat(table.at("/rows/0/cells/" + last).asText()).isEqualTo("<unknown>");
        assertThat(table.at("/rows/1/cells/" + last).asText()).isEqualTo("512Mi (50%)");
    }

    @Test
    void usedCell_olderThanTwentyMinutes_showsItsAge() throws IOException {
        known.put("ns/logs", "512Mi (50%)");
        int last = Columns.PERSISTENT_VOLUME_CLAIM.size();
        measured = NOW.minus(Duration.ofMinutes(19));
        assertThat(list().at("/rows/1/cells/" + last).asText()).isEqualTo("512Mi (50%)");
        measured = NOW.minus(Duration.ofHours(9));
        assertThat(list().at("/rows/1/cells/" + last).asText()).isEqualTo("512Mi (50%), 9h ago");
    }

    @Test
    void one_headersLeftOut_hasNoUsedColumn() throws IOException {
        known.put("ns/logs", "512Mi (50%)");
        JsonNode table = json(claims.one(LOGS, STYLE, Headers.LEFT_OUT, NOW));
        assertThat(table.path("columnDefinitions").isNull()).isTrue();
        assertThat(table.at("/rows/0/cells")).hasSize(Columns.PERSISTENT_VOLUME_CLAIM.size());
    }

    @Test
    void columns_withoutUsageSource_haveNoUsedColumn() {
        assertThat(Columns.of("PersistentVolumeClaim", UsageSource.NONE)).isSameAs(Columns.PERSISTENT_VOLUME_CLAIM);
        assertThat(Columns.of("Pod", new ConstantUsageSource())).isSameAs(Columns.POD);
    }

    private static final class ConstantUsageSource implements UsageSource {
        @Override
        public boolean isEmpty() {
            return false;
        }

        @Override
        public Optional<Used> of(String namespace, String claim) {
            return Optional.of(new Used("1", NOW));
        }
    }
}
