package dev.mooring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The documents under manifests/ are what they seem. */
class ManifestsTest {
    static List<Path> manifests() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("manifests"))) {
            return files.filter(file -> file.toString().endsWith(".yaml"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("manifests")
    void shouldBeObjectsWithNames(Path manifest) throws IOException {
        try (MappingIterator<JsonNode> documents =
                new YAMLMapper().readerFor(JsonNode.class).readValues(manifest.toFile())) {
            List<JsonNode> all = documents.readAll();
            assertThat(all).isNotEmpty().allSatisfy(document -> {
                assertThat(document.path("apiVersion").asText()).isIn("v1", "storage.k8s.io/v1", "apps/v1", "batch/v1");
                assertThat(document.path("kind").asText()).isNotEmpty();
                assertThat(document.path("metadata").path("name").asText()).matches("[a-z0-9-]+");
                assertThat(Stream.of("spec", "data", "stringData", "provisioner"))
                        .as("content of %s", document)
                        .anyMatch(field -> document.has(field)
                                || document.path("kind").asText().equals("ServiceAccount"));
            });
        }
    }
}
