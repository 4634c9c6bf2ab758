package dev.mooring.volume.content;

import static dev.mooring.volume.content.FakeObjectLookup.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.volume.VolumeException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContentSourceTest {
    private final FakeObjectLookup objects = new FakeObjectLookup()
            .put(
                    "configmaps",
                    "conf",
                    "{'data': {'a.txt': 'alpha\\n', 'b.txt': 'beta\\n'}, 'binaryData': {'bin': 'AP8='}}")
            .put("secrets", "sec", "{'data': {'user': 'bWU=', 'pass': 'czNjcmV0'}}");

    private static ContentSource configMap(String source) {
        return KeyedSource.volume(KeyedSource.KeyedObjectKind.CONFIG_MAP, "name", json(source));
    }

    private static ContentSource secret(String source) {
        return KeyedSource.volume(KeyedSource.KeyedObjectKind.SECRET, "secretName", json(source));
    }

    private static ContentSource projected(String source) {
        return ProjectedSource.volume(json(source));
    }

    private ContentContext context() {
        return new ContentContext(
                json("{'metadata': {'name': 'p', 'namespace': 'default', 'uid': 'u', 'labels': {'app': 'x'}}}"),
                objects,
                (pod, audience, seconds) ->
                        pod.path("metadata").path("name").asText() + "/" + audience + "/" + seconds);
    }

    /** Returns the files as {@code path:mode=text}, sorted. */
    private List<String> files(ContentSource source) throws VolumeException {
        Map<String, ContentFile> files = new LinkedHashMap<>();
        source.collect(context(), files);
        List<String> found = new ArrayList<>();
        files.forEach((path, file) -> found.add(path + ":" + Integer.toOctalString(file.mode()) + "="
                + new String(file.bytes(), StandardCharsets.ISO_8859_1)));
        return found.stream().sorted().toList();
    }

    private String version(ContentSource source) {
        ContentVersion version = new ContentVersion();
        source.describe(context(), version);
        return version.text();
    }

    @Test
    void serviceAccountToken_isIssuedForPodAndRenewedAtFourFifthsOfItsLifetime() throws Exception {
        ContentSource source = projected("{'sources': [{'serviceAccountToken': {'path': 'token', 'expirationSeconds':"
                + " 3607}}, {'serviceAccountToken': {'path': 'vault', 'audience': 'v', 'expirationSeconds': 600}}]}");
        assertThat(files(source)).containsExactly("token:644=p//3607", "vault:644=p/v/600");
        assertThat(((ProjectedSource) source).renewal()).contains(Duration.ofMinutes(8));
        ProjectedSource week = (ProjectedSource)
                projected("{'sources': [{'serviceAccountToken': {'path': 't', 'expirationSeconds': 604800}}]}");
        assertThat(week.renewal()).contains(Duration.ofHours(24));
        assertThat(((ProjectedSource) projected("{'sources': []}")).renewal()).isEmpty();
    }

    @Test
    void configMap_withoutItems_hasAllEntries() throws Exception {
        assertThat(files(configMap("{'name': 'conf'}")))
                .containsExactly("a.txt:644=alpha\n", "b.txt:644=beta\n", "bin:644=\0\u00ff");
    }

    @Test
    void secret_withoutItems_hasAllEntriesDecoded() throws Exception {
        assertThat(files(secret("{'secretName': 'sec', 'defaultMode': 256}")))
                .containsExactly("pass:400=s3cret", "user:400=me");
    }

    @Test
    void configMap_items_haveTheirPathsAndModes() throws Exception {
        assertThat(files(configMap("{'name': 'conf', 'defaultMode': 416, 'items': ["
                        + "{'key': 'a.txt', 'path': 'sub/a'}, {'key': 'bin', 'path': 'b', 'mode': 511}]}")))
                .containsExactly("b:777=\0\u00ff", "sub/a:640=alpha\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "configMap | {'name': 'absent'} | configmap \"absent\" not found",
                "configMap | {'name': 'a/b'} | configmap \"a/b\" not found",
                "configMap | {'name': 'conf', 'items': [{'key': 'zzz', 'path': 'z'}]}"
                        + " | configmap references non-existent config key: zzz",
                "secret | {'secretName': 'absent'} | secret \"absent\" not found",
                "secret | {'secretName': 'sec', 'items': [{'key': 'zzz', 'path': 'z'}]}"
                        + " | references non-existent secret key: zzz",
                "projected | {'sources': [{'secret': {'name': 'absent'}}]} | secret \"absent\" not found",
                "projected | {'sources': [{'secret': {'name': 'absent'}}, {'configMap': {'name': 'no'}}, {'secret':"
                        + " {'name': 'absent'}}]} | [secret \"absent\" not found, configmap \"no\" not found]",
                "downwardAPI | {'items': [{'path': 'a', 'fieldRef': {'fieldPath': 'spec.nodeName'}}]}"
                        + " | unsupported fieldPath: spec.nodeName",
            })
    void source_invalidReference_failsWithMessageOfKubernetes(String kind, String source, String message) {
        ContentSource content = switch (kind) {
            case "configMap" -> configMap(source);
            case "secret" -> secret(source);
            case "projected" -> projected(source);
            default -> DownwardSource.volume(json(source));
        };
        assertThatThrownBy(() -> files(content)).isInstanceOfSatisfying(VolumeException.class, e -> {
            assertThat(e.getMessage()).isEqualTo(message);
            assertThat(e.failureState()).isEqualTo(VolumeException.FailureState.CLEAN);
        });
    }

    @ParameterizedTest
    @CsvSource({"clusterTrustBundle", "podCertificate"})
    void projected_unsupportedSource_fails(String field) {
        assertThatThrownBy(() -> files(projected("{'sources': [{'" + field + "': {'path': 'x'}}]}")))
                .isInstanceOfSatisfying(VolumeException.class, e -> {
                    assertThat(e.reason()).isEqualTo("Unsupported");
                    assertThat(e).hasMessageContaining(field).hasMessageContaining("Secret");
                });
    }

    @Test
    void source_optionalReferenceMissing_isSkipped() throws Exception {
        assertThat(files(configMap("{'name': 'absent', 'optional': true}"))).isEmpty();
        assertThat(files(secret("{'secretName': 'absent', 'optional': true, 'items': [{'key': 'k', 'path': 'p'}]}")))
                .isEmpty();
        assertThat(files(configMap("{'name': 'conf', 'optional': true, 'items': ["
                        + "{'key': 'zzz', 'path': 'z'}, {'key': 'a.txt', 'path': 'a'}]}")))
                .containsExactly("a:644=alpha\n");
        assertThat(files(projected("{'sources': [{'secret': {'name': 'absent', 'optional': true}},"
                        + " {'secret': {'name': 'sec', 'items': [{'key': 'user', 'path': 'u'}]}}]}")))
                .containsExactly("u:644=me");
    }

    @Test
    void projected_samePathTwice_lastSourceWins() throws Exception {
        assertThat(files(projected("{'defaultMode': 288, 'sources': [{'configMap': {'name': 'conf', 'items': [{'key':"
            + " 'a.txt', 'path': 'x'}, {'key': 'b.txt', 'path': 'y'}]}},{'secret': {'name': 'sec', 'items': [{'key':"
            + " 'user', 'path': 'x', 'mode': 256}]}},{'downwardAPI': {'items': [{'path': 'd', 'fieldRef':"
            + " {'fieldPath': 'metadata.name'}}]}}]}")))
                .containsExactly("d:440=p", "x:400=me", "y:440=beta\n");
    }

    @Test
    void secret_invalidBase64_failsWithoutQuotingValue() {
        objects.put("secrets", "bad", "{'data': {'k': '!hush!'}}");
        assertThatThrownBy(() -> files(secret("{'secretName': 'bad'}")))
                .hasMessageContaining("Entry k of secret \"bad\"")
                .hasMessageNotContaining("hush");
    }

    @Test
    void version_objectChanged_differs() {
        ContentSource source = projected("{'sources': [{'secret': {'name': 'sec'}}, {'configMap': {'name': 'conf'}}]}");
        String before = version(source);
        assertThat(version(source)).isEqualTo(before).hasSize(16);
        objects.put("configmaps", "conf", "{'data': {}}");
        String changed = version(source);
        objects.remove("configmaps", "conf");
        String missing = version(source);
        objects.put("configmaps", "conf", "{'data': {}}");
        assertThat(List.of(before, changed, missing, version(source))).doesNotHaveDuplicates();
    }
}
