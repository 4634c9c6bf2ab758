package dev.mooring.api.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mooring.api.discovery.DiscoveredKind.ResourceScope;
import dev.mooring.api.discovery.DiscoveredKind.Subresource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ApiDiscoveryTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String V2 = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    private static final String V2BETA1 = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";

    private final ApiDiscovery discovery = new ApiDiscovery(List.of(
            new DiscoveredKind(
                    "",
                    "v1",
                    "Pod",
                    "pods",
                    "pod",
                    List.of("po"),
                    List.of("all"),
                    ResourceScope.NAMESPACED,
                    List.of("get", "list"),
                    List.of(
                            new Subresource("status", "", "v1", "Pod", List.of("get", "patch")),
                            new Subresource("eviction", "policy", "v1", "Eviction", List.of("create")))),
            kind("storage.k8s.io", "v1", "StorageClass", "storageclasses", ResourceScope.CLUSTER),
            kind("mooring.dev", "v1", "ActualVolume", "actualvolumes", ResourceScope.NAMESPACED),
            kind("storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments", ResourceScope.CLUSTER),
            kind(
                    "storage.k8s.io",
                    "v1beta1",
                    "VolumeAttributesClass",
                    "volumeattributesclasses",
                    ResourceScope.CLUSTER)));

    @Test
    void discovery_aggregatedV2_listsCoreGroupWithSubresources() throws IOException {
        assertThat(json("/api", V2)).isEqualTo(JSON.readTree("""
            {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": [
              {"metadata": {}, "versions": [{"version": "v1", "freshness": "Current", "resources": [
                {"resource": "pods", "responseKind": {"group": "", "version": "v1", "kind": "Pod"},
                 "scope": "Namespaced", "singularResource": "pod", "verbs": ["get", "list"],
                 "shortNames": ["po"], "categories": ["all"], "subresources": [
                   {"subresource": "status", "verbs": ["get", "patch"],
                    "responseKind": {"group": "", "version": "v1", "kind": "Pod"}},
                   {"subresource": "eviction", "verbs": ["create"],
                    "responseKind": {"group": "policy", "version": "v1", "kind": "Eviction"}}]}]}]}]}
            """));
    }

    @Test
    void discovery_aggregatedV2Beta1_listsGroupsInOrderOfFirstKind() throws IOException {
        JsonNode list = json("/apis", V2BETA1);

        assertThat(list.get("apiVersion").textValue()).isEqualTo("apidiscovery.k8s.io/v2beta1");
        assertThat(list.findValuesAsText("name")).containsExactly("storage.k8s.io", "mooring.dev");
        assertThat(list.at("/items/0/versions").findValuesAsText("resource"))
                .containsExactly("storageclasses", "volumeattachments", "volumeattributesclasses");
        assertThat(list.at("/items/0/versions/1/version").textValue()).isEqualTo("v1beta1");
        assertThat(list.at("/items/0/versions/0/resources/0/scope").textValue()).isEqualTo("Cluster");
    }

    @Test
    void discovery_plainJson_servesDocumentsPerGroupAndVersion() throws IOException {
        assertThat(json("/api", ""))
                .isEqualTo(JSON.readTree(
                        "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"],\"serverAddressByClientCIDRs\":[]}"));
        String storage = """
            "name": "storage.k8s.io",
            "versions": [{"groupVersion": "storage.k8s.io/v1", "version": "v1"},
                         {"groupVersion": "storage.k8s.io/v1beta1", "version": "v1beta1"}],
            "preferredVersion": {"groupVersion": "storage.k8s.io/v1", "version": "v1"}
            """;
        assertThat(json("/apis/storage.k8s.io", ""))
                .isEqualTo(JSON.readTree("{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\"," + storage + "}"));
        assertThat(json("/apis", "").at("/groups/0")).isEqualTo(JSON.readTree("{" + storage + "}"));
        assertThat(json("/apis", "").get("groups")).hasSize(2);
        assertThat(json("/api/v1", "")).isEqualTo(JSON.readTree("""
            {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "v1", "resources": [
              {"name": "pods", "singularName": "pod", "namespaced": true, "kind": "Pod",
               "verbs": ["get", "list"], "shortNames": ["po"], "categories": ["all"]},
              {"name": "pods/status", "singularName": "", "namespaced": true, "kind": "Pod",
               "verbs": ["get", "patch"]},
              {"name": "pods/eviction", "singularName": "", "namespaced": true, "kind": "Eviction",
               "group": "policy", "version": "v1", "verbs": ["create"]}]}
            """));
        assertThat(json("/apis/storage.k8s.io/v1", "").findValuesAsText("name"))
                .containsExactly("storageclasses", "volumeattachments");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "~~|application/json",
                "*/*|application/json",
                "application/json|application/json",
                "application/vnd.kubernetes.protobuf,application/json|application/json",
                "text/html|application/json",
                V2 + "," + V2BETA1 + ",application/json|" + V2,
                V2BETA1 + ",application/json|" + V2BETA1,
                "application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io|" + V2,
                " application/json ; g=apidiscovery.k8s.io ; v=v2 ; as=APIGroupDiscoveryList ;q=0.9|" + V2,
                V2 + ";q=0," + V2BETA1 + "|" + V2BETA1,
                "application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList," + V2BETA1 + "|" + V2BETA1,
                "application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList|application/json",
                "application/json;as=Table;v=v1;g=meta.k8s.io," + V2 + "|" + V2,
                "application/json;q=0.1," + V2 + "|application/json",
            })
    void discovery_acceptHeader_selectsFirstSupportedFormat(String accept, String contentType) {
        ApiDiscovery.DiscoveryResponse response =
                discovery.find("/apis", accept).orElseThrow();

        assertThat(response.contentType()).isEqualTo(contentType);
        assertThat(new String(response.body(), StandardCharsets.UTF_8))
                .contains(contentType.contains("v2") ? "APIGroupDiscoveryList" : "APIGroupList");
    }

    @Test
    void discovery_groupVersionPath_ignoresAggregatedAcceptHeader() {
        assertThat(discovery.find("/api/v1", V2).orElseThrow().contentType()).isEqualTo("application/json");
    }

    @Test
    void discovery_sameDocument_isCachedWithItsEtag() {
        ApiDiscovery.DiscoveryResponse first = discovery.find("/apis", V2).orElseThrow();

        assertThat(discovery.find("/apis/", V2)).containsSame(first);
        assertThat(first.etag()).matches("\"[0-9A-F]{64}\"");
        assertThat(discovery.find("/api", V2).orElseThrow().etag()).isNotEqualTo(first.etag());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "", "/api/v2", "/apis/nope", "/apis/storage.k8s.io/v2", "/api/v1/pods", "/apis//v1"})
    void discovery_unknownPath_isEmpty(String path) {
        assertThat(discovery.find(path, "")).isEmpty();
    }

    private JsonNode json(String path, String accept) throws IOException {
        return JSON.readTree(discovery.find(path, accept).orElseThrow().body());
    }

    private static DiscoveredKind kind(String group, String version, String kind, String plural, ResourceScope scope) {
        return new DiscoveredKind(
                group,
                version,
                kind,
                plural,
                kind.toLowerCase(Locale.ROOT),
                List.of(),
                List.of(),
                scope,
                List.of("get"),
                List.of());
    }
}
