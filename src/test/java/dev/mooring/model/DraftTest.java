package dev.mooring.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class DraftTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final ObjectKey KEY = ObjectKey.namespaced("pods", "default", "web");

    private static ObjectNode object(String json) throws IOException {
        return (ObjectNode) MAPPER.readTree(json);
    }

    @Test
    void draft_unknownFields_areKeptInOrderAndRevisionIsSet() throws IOException {
        String json =
                "{\"kind\":\"Pod\",\"zeta\":[1,2,{\"resourceVersion\":\"3\"}],\"metadata\":{\"name\":\"web\",\"namespace\":\"default\","
                    + "\"resourceVersion\":\"77\",\"x\":{\"resourceVersion\":\"5\"}},\"ü\":1.5e3,\"big\":123456789012345678901234567890}";
        StoredObject stored = Draft.of(KEY, object(json)).at(812);
        String text = new String(stored.json(), StandardCharsets.UTF_8);
        assertThat(text)
                .startsWith("{\"kind\":\"Pod\",\"zeta\":")
                .contains("\"x\":{\"resourceVersion\":\"5\"}")
                .contains("123456789012345678901234567890");
        JsonNode expected = object(json);
        ((ObjectNode) expected.get("metadata")).put("resourceVersion", "812");
        assertThat(MAPPER.readTree(text)).isEqualTo(expected);
        assertThat(stored.revision()).isEqualTo(812);
    }

    @Test
    void draft_ofStoredObject_replacesOnlyItsOwnResourceVersion() throws IOException {
        String json =
                "{\"a\":{\"metadata\":{\"resourceVersion\":\"812\"}},\"resourceVersion\":\"812\",\"metadata\":{\"labels\":{\"resourceVersion\":\"812\"},"
                    + "\"name\":\"web\",\"namespace\":\"default\"},\"z\":[{\"metadata\":{\"resourceVersion\":\"812\"}}]}";
        StoredObject first = Draft.of(KEY, object(json)).at(812);
        StoredObject second = Draft.of(first).at(1_000);
        JsonNode expected = object(json);
        ((ObjectNode) expected.get("metadata")).put("resourceVersion", "1000");
        assertThat(MAPPER.readTree(second.json())).isEqualTo(expected);
        assertThat(Draft.of(second).at(812).json()).isEqualTo(first.json());
    }

    @Test
    void draft_nameOrNamespaceDiffersFromKey_throws() {
        assertThatThrownBy(() -> Draft.of(KEY, object("{\"metadata\":{\"name\":\"other\",\"namespace\":\"default\"}}")))
                .hasMessageContaining("metadata.name of pods/default/web")
                .hasMessageContaining("\"other\"");
        assertThatThrownBy(() -> Draft.of(KEY, object("{\"metadata\":{\"name\":\"web\"}}")))
                .hasMessageContaining("metadata.namespace of pods/default/web");
    }
}
