package dev.mooring.volume.content;

import static dev.mooring.volume.content.FakeObjectLookup.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.volume.PodTokens;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DownwardSourceTest {
    private final FakeObjectLookup objects = new FakeObjectLookup();
    private final ObjectNode pod = json("""
        {'metadata': {'name': 'web', 'namespace': 'shop', 'uid': 'u-1',
          'labels': {'tier': 'front', 'app': 'web'}, 'annotations': {'note': 'hello', 'example.com/x': 'y'}},
         'spec': {'nodeName': 'n1',
          'containers': [{'name': 'c', 'resources': {
            'limits': {'memory': '64Mi', 'cpu': '1500m', 'hugepages-2Mi': '4Mi'}, 'requests': {'cpu': '250m', 'memory': '100'}}},
            {'name': 'bare'}],
          'initContainers': [{'name': 'init', 'resources': {'limits': {'memory': '1Gi'}}}]}}
        """);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "metadata.name | web",
                "metadata.namespace | shop",
                "metadata.uid | u-1",
                "metadata.labels['app'] | web",
                "metadata.labels['none'] | ''",
                "metadata.annotations['example.com/x'] | y",
            })
    void field_supportedPath_returnsValue(String path, String value) throws Exception {
        assertThat(FieldValue.of(pod.path("metadata"), path)).isEqualTo(value);
    }

    @Test
    void field_map_isSortedLinesWithoutFinalNewline() throws Exception {
        assertThat(FieldValue.of(pod.path("metadata"), "metadata.labels")).isEqualTo("app=\"web\"\ntier=\"front\"");
        assertThat(FieldValue.of(json("{}"), "metadata.labels")).isEmpty();
    }

    @Test
    void field_specialCharacters_areQuotedAsInGo() throws Exception {
        ObjectNode metadata = json("{}");
        metadata.putObject("annotations")
                .put("a", "q\" b\\ n\n t\t \u0007\u000b\u0001\u007f é 日 \u00a0\u200b \ud83d\ude00");
        assertThat(FieldValue.of(metadata, "metadata.annotations"))
                .isEqualTo("a=\"q\\\" b\\\\ n\\n t\\t \\a\\v\\x01\\x7f é 日 \\u00a0\\u200b \ud83d\ude00\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "spec.nodeName | unsupported fieldPath: spec.nodeName",
                "metadata.name['x'] | fieldPath \"metadata.name['x']\" does not support subscript",
            })
    void field_unsupportedPath_fails(String path, String message) {
        assertThatThrownBy(() -> FieldValue.of(pod.path("metadata"), path)).hasMessage(message);
    }

    private String resource(String container, String resource, String divisor) throws Exception {
        ObjectNode reference = json("{}").put("containerName", container).put("resource", resource);
        if (!divisor.isEmpty()) {
            reference.put("divisor", divisor);
        }
        return ResourceValue.of(new ContentContext(pod, objects, PodTokens.NONE), reference);
    }

    @ParameterizedTest
    @CsvSource({
        "c, limits.memory, '', 67108864",
        "c, limits.memory, 0, 67108864",
        "c, limits.memory, 1Mi, 64",
        "c, limits.memory, 1G, 1",
        "c, limits.cpu, '', 2",
        "c, limits.cpu, 1m, 1500",
        "c, requests.cpu, 1m, 250",
        "c, requests.cpu, 1, 1",
        "c, requests.memory, 1Ki, 1",
        "c, requests.ephemeral-storage, '', 0",
        "c, limits.hugepages-2Mi, 1Mi, 4",
        "init, limits.memory, 1Gi, 1",
        "bare, requests.memory, '', 0",
        "bare, limits.cpu, '', 0",
    })
    void resource_supportedName_returnsQuotient(String container, String resource, String divisor, String value)
            throws Exception {
        assertThat(resource(container, resource, divisor)).isEqualTo(value);
    }

    @Test
    void resource_limitNotSet_returnsAllocatableOfNode() throws Exception {
        objects.put(
                ObjectKey.clusterWide("nodes", "n1"),
                "{'status': {'allocatable': {'cpu': '4', 'memory': '8Gi', 'hugepages-2Mi': '2Mi'}}}");
        assertThat(resource("bare", "limits.cpu", "")).isEqualTo("4");
        assertThat(resource("bare", "limits.memory", "1Gi")).isEqualTo("8");
        assertThat(resource("c", "limits.memory", "1Mi")).isEqualTo("64");
        assertThat(resource("bare", "requests.cpu", "")).isEqualTo("0");
        assertThat(resource("bare", "limits.hugepages-2Mi", "")).isEqualTo("0");
        assertThat(resource("bare", "limits.ephemeral-storage", "")).isEqualTo("0");
    }

    @Test
    void resource_unknownContainerOrResource_fails() {
        assertThatThrownBy(() -> resource("unknown", "limits.cpu", "")).hasMessage("container unknown not found");
        assertThatThrownBy(() -> resource("c", "limits.gpu", ""))
                .hasMessage("unsupported container resource : limits.gpu");
    }

    @Test
    void version_differsOnlyIfReferencedFieldChanged() {
        DownwardSource source =
                DownwardSource.volume(json("{'items': [{'path': 'l', 'fieldRef': {'fieldPath': 'metadata.labels'}}]}"));
        String before = version(source);
        pod.withObject("/metadata/annotations").put("note", "other");
        assertThat(version(source)).isEqualTo(before);
        pod.withObject("/metadata/labels").put("app", "other");
        assertThat(version(source)).isNotEqualTo(before);
    }

    private String version(ContentSource source) {
        ContentVersion version = new ContentVersion();
        source.describe(new ContentContext(pod, objects, PodTokens.NONE), version);
        return version.text();
    }
}
