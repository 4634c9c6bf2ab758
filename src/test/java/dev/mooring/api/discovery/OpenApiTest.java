package dev.mooring.api.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OpenApiTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SCHEMAS = "/components/schemas/";
    private static final String CORE = SCHEMAS + "io.k8s.api.core.v1.";

    private final OpenApi openApi = new OpenApi(SampleDescribedKinds.all(), "0.1");

    @Test
    void index_documentUrlsWithHash_areImmutable() throws IOException {
        JsonNode paths = json("/openapi/v3").get("paths");

        assertThat(paths.properties())
                .extracting(Map.Entry::getKey)
                .containsExactly(
                        "api/v1", "apis/storage.k8s.io/v1", "apis/coordination.k8s.io/v1", "apis/mooring.dev/v1");
        for (JsonNode entry : paths) {
            String[] url = entry.get("serverRelativeURL").textValue().split("\\?hash=", 2);
            Document document = openApi.find(url[0], Optional.of(url[1]), "").orElseThrow();
            assertThat(document.etag()).isEqualTo('"' + url[1] + '"');
            assertThat(document.cacheControl()).isEqualTo("public, immutable");
            assertThat(openApi.find(url[0], Optional.of("stale"), "")
                            .orElseThrow()
                            .cacheControl())
                    .isEqualTo("no-cache, private");
        }
    }

    @Test
    void find_sameDocument_isCachedAndCompressed() throws IOException {
        Document document = get("/openapi/v3/api/v1");

        assertThat(get("/openapi/v3/api/v1")).isSameAs(document);
        byte[] gzip = document.gzip().orElseThrow();
        assertThat(gzip.length).isLessThan(document.body().length / 3);
        assertThat(new GZIPInputStream(new ByteArrayInputStream(gzip)).readAllBytes())
                .isEqualTo(document.body());
    }

    @Test
    void etag_sameVersion_isEqual() {
        OpenApi other = new OpenApi(SampleDescribedKinds.all(), "0.1");

        assertThat(other.find("/openapi/v3", Optional.empty(), "").orElseThrow().etag())
                .isEqualTo(get("/openapi/v3").etag());
    }

    @ParameterizedTest
    @CsvSource({
        "/openapi/v3/api/v1, io.k8s.api.core.v1.PersistentVolume",
        "/openapi/v3/api/v1, io.k8s.api.core.v1.NFSVolumeSource",
        "/openapi/v3/api/v1, io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
        "/openapi/v3/api/v1, io.k8s.apimachinery.pkg.api.resource.Quantity",
        "/openapi/v3/api/v1, io.k8s.apimachinery.pkg.util.intstr.IntOrString",
        "/openapi/v3/api/v1, io.k8s.apimachinery.pkg.apis.meta.v1.Time",
        "/openapi/v3/api/v1, io.k8s.apimachinery.pkg.apis.meta.v1.Patch",
        "/openapi/v3/apis/storage.k8s.io/v1, io.k8s.api.storage.v1.StorageClass",
        "/openapi/v3/apis/storage.k8s.io/v1, io.k8s.api.core.v1.TopologySelectorTerm",
        "/openapi/v3/apis/storage.k8s.io/v1, io.k8s.api.core.v1.PersistentVolumeSpec",
        "/openapi/v3/apis/coordination.k8s.io/v1, io.k8s.api.coordination.v1.LeaseSpec",
        "/openapi/v3/apis/mooring.dev/v1, dev.mooring.v1.ActualVolume",
        "/openapi/v3/apis/mooring.dev/v1, io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
    })
    void schemas_haveNamesOfKubernetes(String path, String schema) throws IOException {
        assertThat(json(path).at(SCHEMAS + schema).isObject()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/openapi/v3/api/v1", "/openapi/v3/apis/storage.k8s.io/v1", "/openapi/v2"})
    void references_allResolve(String path) throws IOException {
        JsonNode document = json(path);

        assertThat(document.findValuesAsText("$ref"))
                .isNotEmpty()
                .allSatisfy(reference -> assertThat(
                                document.at(reference.substring(1)).isObject())
                        .as(reference)
                        .isTrue());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "PersistentVolume/x-kubernetes-group-version-kind"
                        + "|[{'group':'','kind':'PersistentVolume','version':'v1'}]",
                "PersistentVolume/properties/spec/allOf|[{'$ref':'#CORE.PersistentVolumeSpec'}]",
                "NFSVolumeSource/required|['server','path']",
                "NFSVolumeSource/type|'object'",
                "NFSVolumeSource/properties/readOnly/type|'boolean'",
                "PodSpec/properties/containers/x-kubernetes-patch-merge-key|'name'",
                "PodSpec/properties/containers/x-kubernetes-patch-strategy|'merge'",
                "PodSpec/properties/containers/x-kubernetes-list-type|'map'",
                "PodSpec/properties/containers/x-kubernetes-list-map-keys|['name']",
                "PodSpec/properties/containers/items|{'allOf':[{'$ref':'#CORE.Container'}],'default':{}}",
                "PodSpec/properties/volumes/x-kubernetes-patch-strategy|'merge,retainKeys'",
                "PodSpec/properties/nodeSelector/additionalProperties|{'type':'string','default':''}",
                "PodSpec/properties/nodeSelector/x-kubernetes-map-type|'atomic'",
                "PodSpec/properties/terminationGracePeriodSeconds/format|'int64'",
                "ConfigMap/properties/binaryData/additionalProperties|{'type':'string','format':'byte'}",
                "PersistentVolumeSpec/properties/claimRef/x-kubernetes-map-type|'granular'",
                "Pod/properties/spec/default|{}",
                "LocalObjectReference/x-kubernetes-map-type|'atomic'",
            })
    void schema_attribute_hasExpectedValue(String pointer, String expected) throws IOException {
        assertThat(json("/openapi/v3/api/v1").at(CORE + pointer))
                .isEqualTo(JSON.readTree(
                        expected.replace('\'', '"').replace("#CORE", "#/components/schemas/io.k8s.api.core.v1")));
    }

    @Test
    void schemas_everyKindAndField_hasDescription() throws IOException {
        for (JsonNode schema : json("/openapi/v3/api/v1").at("/components/schemas")) {
            assertThat(schema.path("description").asText()).isNotEmpty();
            for (JsonNode property : schema.path("properties")) {
                // the description of the type serves for fields without their own
                assertThat(property.has("description") || property.has("allOf")).isTrue();
            }
        }
    }

    @Test
    void patch_parameters_includeFieldValidation() throws IOException {
        JsonNode item = json("/openapi/v3/api/v1")
                .get("paths")
                .get("/api/v1/namespaces/{namespace}/persistentvolumeclaims/{name}");

        assertThat(item.at("/patch/parameters").findValuesAsText("name"))
                .containsExactly("dryRun", "fieldManager", "fieldValidation", "force");
        assertThat(item.at("/patch/requestBody/content").properties())
                .extracting(Map.Entry::getKey)
                .contains("application/strategic-merge-patch+json", "application/apply-patch+yaml");
        assertThat(item.at("/patch/x-kubernetes-action").textValue()).isEqualTo("patch");
        assertThat(item.at("/get/x-kubernetes-group-version-kind/kind").textValue())
                .isEqualTo("PersistentVolumeClaim");
        assertThat(item.get("parameters").findValuesAsText("name")).containsExactly("name", "namespace");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/persistentvolumes",
                "/api/v1/persistentvolumes/{name}",
                "/api/v1/persistentvolumes/{name}/status",
                "/api/v1/pods",
                "/api/v1/namespaces/{namespace}/pods",
                "/api/v1/namespaces/{namespace}/pods/{name}",
                "/api/v1/namespaces/{namespace}/pods/{name}/status",
            })
    void paths_containCollectionsAndItemsOfEveryKind(String path) throws IOException {
        assertThat(json("/openapi/v3/api/v1").get("paths").has(path)).isTrue();
        assertThat(json("/openapi/v2").get("paths").has(path)).isTrue();
    }

    @Test
    void v2_references_areDirect() throws IOException {
        JsonNode definitions = json("/openapi/v2").get("definitions");

        assertThat(definitions
                        .at("/io.k8s.api.core.v1.PersistentVolumeSpec/properties/nfs/$ref")
                        .textValue())
                .isEqualTo("#/definitions/io.k8s.api.core.v1.NFSVolumeSource");
        assertThat(definitions
                        .at("/io.k8s.apimachinery.pkg.api.resource.Quantity/type")
                        .textValue())
                .isEqualTo("string");
        assertThat(definitions.has("dev.mooring.v1.ActualVolume")).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "~~|application/json",
                "*/*|application/json",
                "application/json|application/json",
                "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
                        + "|application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
                "application/com.github.proto-openapi.spec.v2.v1.0+protobuf;q=1, */*"
                        + "|application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
                "application/json, application/com.github.proto-openapi.spec.v2@v1.0+protobuf|application/json",
            })
    void v2_acceptHeader_selectsJsonOrProtobuf(String accept, String contentType) {
        Document document =
                openApi.find("/openapi/v2", Optional.empty(), accept).orElseThrow();

        assertThat(document.contentType()).isEqualTo(contentType);
        if (contentType.equals("application/json")) {
            assertThat(document.body()[0]).isEqualTo((byte) '{');
        } else {
            assertThat(document.body()).startsWith(0x0a, 3, '2', '.', '0');
            assertThat(new String(document.body(), StandardCharsets.UTF_8))
                    .contains("io.k8s.api.core.v1.NFSVolumeSource");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/openapi",
                "/openapi/v4",
                "/openapi/v3/api/v2",
                "/openapi/v3/apis",
                "/openapi/v3x",
                "/openapi/v2/x"
            })
    void find_unknownPath_isEmpty(String path) {
        assertThat(openApi.find(path, Optional.empty(), "")).isEmpty();
    }

    private JsonNode json(String path) throws IOException {
        return JSON.readTree(get(path).body());
    }

    private Document get(String path) {
        return openApi.find(path, Optional.empty(), "").orElseThrow();
    }
}
