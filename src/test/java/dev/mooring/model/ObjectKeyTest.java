package dev.mooring.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ObjectKeyTest {
    @Test
    void objectKey_hasResourceNamespaceAndName() {
        ObjectKey claim = ObjectKey.namespaced("persistentvolumeclaims", "default", "data");
        assertThat(claim.resource()).isEqualTo("persistentvolumeclaims");
        assertThat(claim.namespace()).contains("default");
        assertThat(claim.name()).isEqualTo("data");
        assertThat(claim).hasToString("persistentvolumeclaims/default/data").isEqualTo(ObjectKey.parse(claim.text()));

        ObjectKey storageClass = ObjectKey.clusterWide("storageclasses.storage.k8s.io", "fast");
        assertThat(storageClass.resource()).isEqualTo("storageclasses.storage.k8s.io");
        assertThat(storageClass.namespace()).isEmpty();
        assertThat(storageClass.name()).isEqualTo("fast");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "pods",
                "pods/",
                "/name",
                "pods//name",
                "pods/ns/",
                "a/b/c/d",
                "pods/ns/na me",
                "pods/\n",
                "pods/a\u0000"
            })
    void objectKey_invalidText_throws(String text) {
        assertThatThrownBy(() -> ObjectKey.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("resource/namespace/name")
                .hasMessageContaining(text);
    }

    @Test
    void objectKey_tooLong_throws() {
        String longest = "pods/" + "x".repeat(ObjectKey.MAX_LENGTH - 5);
        assertThat(ObjectKey.parse(longest).name()).hasSize(ObjectKey.MAX_LENGTH - 5);
        assertThatThrownBy(() -> ObjectKey.parse(longest + "x")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void objectKey_parsedConcurrently_hasItsOwnResource() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            List<Future<Long>> mismatches = new ArrayList<>();
            for (String text : List.of("namespaces/a", "persistentvolumeclaims/default/data")) {
                String resource = text.substring(0, text.indexOf('/'));
                mismatches.add(threads.submit(() -> IntStream.range(0, 300_000)
                        .filter(i -> !ObjectKey.parse(text).resource().equals(resource))
                        .count()));
            }
            for (Future<Long> each : mismatches) {
                assertThat(each.get()).isZero();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
