package dev.mooring.model;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class KubeEventTest {
    private static final KubeEvent.InvolvedObject CLAIM =
            new KubeEvent.InvolvedObject("v1", "PersistentVolumeClaim", "team", "data", "u-1", "7");
    private static final Instant FIRST = Instant.parse("2026-01-01T10:00:00.900Z");
    private static final KubeEvent FAILED = KubeEvent.warning(CLAIM, "ProvisioningFailed", "no room", "provisioner");

    @Test
    void event_messageWithSeveralLines_isJoinedToOneLine() {
        assertThat(KubeEvent.warning(CLAIM, "FailedMount", "mount failed\n  see dmesg\r\n", "node/n1")
                        .message())
                .isEqualTo("mount failed see dmesg");
    }

    private static JsonNode tree(StoredObject object) throws IOException {
        return new ObjectMapper().readTree(object.json());
    }

    @Test
    void event_isStoredInNamespaceOfItsObject() throws IOException {
        StoredObject event = FAILED.toEvent(Optional.empty(), FIRST, "u-event").at(9);
        assertThat(event.key()).isEqualTo(FAILED.key());
        assertThat(event.key().text()).matches("events/team/data\\.[0-9a-f]{16}");
        String name = event.key().name();
        assertThat(tree(event)).isEqualTo(new ObjectMapper().readTree("""
            {"kind":"Event","apiVersion":"v1",
             "metadata":{"name":"%s","namespace":"team","uid":"u-event",
               "creationTimestamp":"2026-01-01T10:00:00Z","resourceVersion":"9"},
             "involvedObject":{"kind":"PersistentVolumeClaim","namespace":"team","name":"data",
               "uid":"u-1","apiVersion":"v1","resourceVersion":"7"},
             "reason":"ProvisioningFailed","message":"no room","source":{"component":"provisioner"},
             "firstTimestamp":"2026-01-01T10:00:00Z","lastTimestamp":"2026-01-01T10:00:00Z",
             "count":1,"type":"Warning","eventTime":null,
             "reportingComponent":"provisioner","reportingInstance":""}
            """.formatted(name)));
    }

    @Test
    void eventOfNode_hasSourceKubeletWithHost() throws IOException {
        JsonNode event = tree(KubeEvent.warning(CLAIM, "FailedMount", "timed out", "node/n1")
                .toEvent(Optional.empty(), FIRST, "u-event")
                .at(9));
        assertThat(event.path("source").toString()).isEqualTo("{\"component\":\"kubelet\",\"host\":\"n1\"}");
        assertThat(event.path("reportingComponent").asText()).isEqualTo("kubelet");
        assertThat(event.path("reportingInstance").asText()).isEqualTo("n1");
    }

    @Test
    void event_recordedAgain_countIsIncremented() throws IOException {
        StoredObject once = FAILED.toEvent(Optional.empty(), FIRST, "u-event").at(9);
        StoredObject twice = FAILED.toEvent(Optional.of(once), FIRST.plusSeconds(60), "unused")
                .at(12);
        JsonNode event = tree(twice);
        assertThat(event.path("count").asInt()).isEqualTo(2);
        assertThat(event.path("firstTimestamp").asText()).isEqualTo("2026-01-01T10:00:00Z");
        assertThat(event.path("lastTimestamp").asText()).isEqualTo("2026-01-01T10:01:00Z");
        assertThat(event.path("metadata").path("uid").asText()).isEqualTo("u-event");
        assertThat(twice.key()).isEqualTo(once.key());
    }

    @Test
    void event_nameDependsOnContentButNotOnRevision() {
        KubeEvent.InvolvedObject another =
                new KubeEvent.InvolvedObject("v1", "PersistentVolumeClaim", "team", "data", "u-2", "7");
        KubeEvent.InvolvedObject later =
                new KubeEvent.InvolvedObject("v1", "PersistentVolumeClaim", "team", "data", "u-1", "8");
        assertThat(Stream.of(
                                FAILED,
                                KubeEvent.normal(CLAIM, "ProvisioningFailed", "no room", "provisioner"),
                                KubeEvent.warning(CLAIM, "Failed", "no room", "provisioner"),
                                KubeEvent.warning(CLAIM, "ProvisioningFailed", "no", "provisioner"),
                                KubeEvent.warning(CLAIM, "ProvisioningFailed", "no room", "binder"),
                                KubeEvent.warning(another, "ProvisioningFailed", "no room", "provisioner"))
                        .map(KubeEvent::key))
                .doesNotHaveDuplicates();
        assertThat(KubeEvent.warning(later, "ProvisioningFailed", "no room", "provisioner")
                        .key())
                .as("key with another resourceVersion")
                .isEqualTo(FAILED.key());
    }

    @Test
    void event_ofClusterScopedObject_isStoredInDefaultNamespace() throws IOException {
        KubeEvent.InvolvedObject volume = new KubeEvent.InvolvedObject("v1", "PersistentVolume", "", "pv", "u", "");
        KubeEvent event = KubeEvent.normal(volume, "Released", "free again", "binder");
        assertThat(event.key().namespace()).contains("default");
        JsonNode involved =
                tree(event.toEvent(Optional.empty(), FIRST, "u-event").at(1)).path("involvedObject");
        assertThat(involved.has("namespace")).isFalse();
        assertThat(involved.has("resourceVersion")).isFalse();
    }

    @Test
    void event_longMessage_isTruncatedBetweenCharacters() {
        KubeEvent event = KubeEvent.normal(CLAIM, "Long", "x" + "ü".repeat(1_000), "binder");
        assertThat(event.message().getBytes(StandardCharsets.UTF_8)).hasSize(1_023);
        assertThat(event.message()).endsWith("ü").doesNotContain("\ufffd");
        assertThat(KubeEvent.normal(CLAIM, "Long", "x".repeat(1_024), "binder").message())
                .hasSize(1_024);
    }

    @Test
    void event_longObjectName_isTruncatedToValidName() {
        String name = "a".repeat(235) + "-" + "b".repeat(17);
        KubeEvent.InvolvedObject object = new KubeEvent.InvolvedObject("v1", "Pod", "team", name, "u", "");
        String eventName = KubeEvent.normal(object, "R", "m", "c").key().name();
        assertThat(eventName).startsWith("a".repeat(235) + ".").hasSizeLessThanOrEqualTo(253);
    }

    @Test
    void involvedObject_isReadFromStoredObject() {
        StoredObject event = FAILED.toEvent(Optional.empty(), FIRST, "u-event").at(9);
        assertThat(KubeEvent.InvolvedObject.of(event))
                .isEqualTo(new KubeEvent.InvolvedObject(
                        "v1", "Event", "team", event.key().name(), "u-event", "9"));
    }
}
