package dev.mooring.api.table;

import static dev.mooring.api.table.LenientJson.json;
import static dev.mooring.api.table.LenientJson.stored;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.table.TableWriter.Headers;
import dev.mooring.api.table.TableWriter.Style;
import dev.mooring.api.types.Column;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class TableWriterTest {
    private static final Style METADATA = new Style(AcceptHeader.MetaVersion.V1, TableWriter.IncludeObject.METADATA);
    private static final String CLAIM = """
        {kind: 'PersistentVolumeClaim', apiVersion: 'v1',
         metadata: {name: 'data', namespace: 'team', resourceVersion: '7', labels: {app: 'web "ü"'},
          managedFields: [{manager: 'kubectl', fieldsV1: {'f:spec': {}}}]},
         spec: {storageClassName: 'slow'}, status: {phase: 'Pending'}}\
        """;

    private final TableWriter claims = new TableWriter(Columns.PERSISTENT_VOLUME_CLAIM);

    @Test
    void list_objects_writesTable() {
        ListMeta meta = new ListMeta("42", Optional.of("next"), OptionalLong.of(3));

        JsonNode table = json(claims.list(List.of(stored(CLAIM), stored(CLAIM)), meta, METADATA, RowCases.NOW));

        assertThat(table.path("kind").asText()).isEqualTo("Table");
        assertThat(table.path("apiVersion").asText()).isEqualTo("meta.k8s.io/v1");
        assertThat(table.path("metadata"))
                .isEqualTo(json("{resourceVersion: '42', continue: 'next', remainingItemCount: 3}"));
        assertThat(table.path("columnDefinitions")).hasSize(Columns.PERSISTENT_VOLUME_CLAIM.size());
        assertThat(table.path("columnDefinitions").get(0))
                .isEqualTo(json("{name: 'Name', type: 'string', format: 'name', description: 'The name of the"
                        + " object.', priority: 0}"));
        assertThat(table.path("rows")).hasSize(2);
        assertThat(table.path("rows").get(1).path("cells"))
                .isEqualTo(json("['data', 'Pending', '', '', '', 'slow', '<unset>', '<unknown>', '<unset>']"));
    }

    @Test
    void list_withoutObjects_writesColumnsAndNoRows() {
        JsonNode table = json(claims.list(List.of(), ListMeta.at("1"), METADATA, RowCases.NOW));

        assertThat(table.path("metadata")).isEqualTo(json("{resourceVersion: '1'}"));
        assertThat(table.path("columnDefinitions")).isNotEmpty();
        assertThat(table.path("rows")).isEqualTo(json("[]"));
    }

    @Test
    void list_includeMetadata_writesStoredMetadataToRow() {
        JsonNode table = json(claims.list(List.of(stored(CLAIM)), ListMeta.at("1"), METADATA, RowCases.NOW));

        JsonNode object = table.path("rows").get(0).path("object");
        assertThat(object.path("kind").asText()).isEqualTo("PartialObjectMetadata");
        assertThat(object.path("apiVersion").asText()).isEqualTo("meta.k8s.io/v1");
        assertThat(object.path("metadata")).isEqualTo(json(CLAIM).path("metadata"));
        assertThat(object).hasSize(3);
    }

    @Test
    void list_includeObject_writesStoredBytesToRow() {
        byte[] raw = "{ \"kind\":\"X\",\"metadata\":{ \"name\":\"a\" } , \"n\":1.0e2}".getBytes(StandardCharsets.UTF_8);

        byte[] table = LenientJson.concatenate(claims.list(
                List.of(raw, raw),
                ListMeta.at("1"),
                new Style(AcceptHeader.MetaVersion.V1, TableWriter.IncludeObject.OBJECT),
                RowCases.NOW));

        assertThat(new String(table, StandardCharsets.UTF_8))
                .contains("\"object\":" + new String(raw, StandardCharsets.UTF_8) + "}");
        assertThat(json(table).path("rows")).hasSize(2);
    }

    @Test
    void list_includeNone_writesNullObject() {
        JsonNode table = json(claims.list(
                List.of(stored(CLAIM)),
                ListMeta.at("1"),
                new Style(AcceptHeader.MetaVersion.V1, TableWriter.IncludeObject.NONE),
                RowCases.NOW));

        assertThat(table.path("rows").get(0).get("object").isNull()).isTrue();
    }

    @Test
    void one_v1beta1_usesThatVersionThroughout() {
        JsonNode table = json(claims.one(
                stored(CLAIM),
                new Style(AcceptHeader.MetaVersion.V1BETA1, TableWriter.IncludeObject.METADATA),
                Headers.SHOWN,
                RowCases.NOW));

        assertThat(table.path("apiVersion").asText()).isEqualTo("meta.k8s.io/v1beta1");
        assertThat(table.path("rows").get(0).path("object").path("apiVersion").asText())
                .isEqualTo("meta.k8s.io/v1beta1");
    }

    @Test
    void one_object_hasItsResourceVersion() {
        JsonNode table = json(claims.one(stored(CLAIM), METADATA, Headers.SHOWN, RowCases.NOW));

        assertThat(table.path("metadata")).isEqualTo(json("{resourceVersion: '7'}"));
        assertThat(table.path("rows")).hasSize(1);
        assertThat(table.path("columnDefinitions")).isNotEmpty();
    }

    @Test
    void one_headersLeftOut_omitsColumnDefinitions() {
        JsonNode table = json(claims.one(stored(CLAIM), METADATA, Headers.LEFT_OUT, RowCases.NOW));

        assertThat(table.get("columnDefinitions").isNull()).isTrue();
        assertThat(table.path("rows").get(0).path("cells").get(0).asText()).isEqualTo("data");
    }

    @Test
    void one_bookmark_hasItsResourceVersion() {
        JsonNode table = json(claims.one(
                stored("{kind: 'PersistentVolumeClaim', metadata: {resourceVersion: '9'}}"),
                METADATA,
                Headers.LEFT_OUT,
                RowCases.NOW));

        assertThat(table.path("metadata").path("resourceVersion").asText()).isEqualTo("9");
    }

    @Test
    void one_numbersAndBooleans_keepTheirTypes() {
        TableWriter classes = new TableWriter(Columns.STORAGE_CLASS);
        TableWriter maps = new TableWriter(Columns.CONFIG_MAP);

        JsonNode storageClass = json(classes.one(
                stored("{metadata: {name: 'a'}, allowVolumeExpansion: true}"), METADATA, Headers.SHOWN, RowCases.NOW));
        JsonNode map = json(
                maps.one(stored("{metadata: {name: 'a'}, data: {x: 'y'}}"), METADATA, Headers.SHOWN, RowCases.NOW));

        assertThat(storageClass.path("rows").get(0).path("cells").get(4)).isEqualTo(json("true"));
        assertThat(map.path("rows").get(0).path("cells").get(1).isIntegralNumber())
                .isTrue();
    }

    @Test
    void one_objectWithoutMetadata_writesEmptyMetadata() {
        JsonNode table = json(claims.one(stored("{kind: 'X'}"), METADATA, Headers.SHOWN, RowCases.NOW));

        assertThat(table.path("rows").get(0).path("object").get("metadata")).isEqualTo(json("{}"));
        assertThat(table.path("metadata")).isEqualTo(json("{}"));
    }

    @Test
    void list_tenThousandClaims_writesAllRows() {
        List<byte[]> many = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            many.add(stored(CLAIM.replace("'data'", "'data-" + i + "'")));
        }

        JsonNode rows = json(claims.list(many, ListMeta.at("1"), METADATA, RowCases.NOW))
                .path("rows");

        assertThat(rows).hasSize(10_000);
        for (int i = 0; i < 10_000; i++) {
            assertThat(rows.get(i).path("cells").get(0).asText()).isEqualTo("data-" + i);
            assertThat(rows.get(i).path("object").path("metadata").path("name").asText())
                    .isEqualTo("data-" + i);
        }
    }

    @Test
    void one_valuesOfEveryType_arePassedToCells() {
        String values = "{a: [1, 2.5, 12345678901, true, false, null, 'x', {b: []}]}";
        TableWriter echo =
                new TableWriter(List.of(new Column("A", "string", "", "", 0, (object, now) -> object.toString())));

        JsonNode table = json(echo.one(stored(values), METADATA, Headers.SHOWN, RowCases.NOW));

        assertThat(json(table.path("rows").get(0).path("cells").get(0).asText()))
                .isEqualTo(json(values));
    }

    @Test
    void one_storedBytesNotAnObject_throws() {
        assertThatThrownBy(
                        () -> claims.one("[1]".getBytes(StandardCharsets.UTF_8), METADATA, Headers.SHOWN, RowCases.NOW))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("Stored value is not a JSON object but ");
        for (String text : List.of("{", "{\"a\":", "{\"a\":[1", "{\"a\":{\"b\":1", "{\"metadata\":{\"name\":\"x\"")) {
            assertThatThrownBy(() ->
                            claims.one(text.getBytes(StandardCharsets.UTF_8), METADATA, Headers.SHOWN, RowCases.NOW))
                    .as(text)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("Failed to read stored JSON object: ");
        }
    }

    @Test
    void one_cellOfUnsupportedType_throws() {
        TableWriter bad = new TableWriter(List.of(new Column("X", "string", "", "", 0, (object, now) -> List.of())));

        assertThatThrownBy(() -> bad.one(stored(CLAIM), METADATA, Headers.SHOWN, RowCases.NOW))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Cell must be text, a number or a boolean");
    }

    @Test
    void includeObject_parse_acceptsKnownValuesOnly() {
        assertThat(TableWriter.IncludeObject.parse("")).contains(TableWriter.IncludeObject.METADATA);
        assertThat(TableWriter.IncludeObject.parse("Metadata")).contains(TableWriter.IncludeObject.METADATA);
        assertThat(TableWriter.IncludeObject.parse("None")).contains(TableWriter.IncludeObject.NONE);
        assertThat(TableWriter.IncludeObject.parse("Object")).contains(TableWriter.IncludeObject.OBJECT);
        assertThat(TableWriter.IncludeObject.parse("object")).isEmpty();
        assertThat(TableWriter.IncludeObject.refusal("all")).isEqualTo("unrecognized includeObject value: \"all\"");
    }
}
