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

class NoticeTest {
    private static final Notice.Involved CLAIM =
            new Notice.Involved("v1", "PersistentVolumeClaim", "team", "data", "u-1", "7");
    private static final Instant FIRST = Instant.parse("2026-01-01T10:00:00.900Z");
    private static final Notice FAILED = Notice.warning(CLAIM, "ProvisioningFailed", "no room", "provisioner");

    private static JsonNode tree(StoredObject object) throws IOException {
        return new ObjectMapper().readTree(object.json());
    }

    @Test
    void becomesAnEventOfTheObjectsNamespace() throws IOException {
        StoredObject event = FAILED.in(Optional.empty(), FIRST, "u-event").at(9);
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
    void isCountedWhenItIsToldAgain() throws IOException {
        StoredObject once = FAILED.in(Optional.empty(), FIRST, "u-event").at(9);
        StoredObject twice =
                FAILED.in(Optional.of(once), FIRST.plusSeconds(60), "unused").at(12);
        JsonNode event = tree(twice);
        assertThat(event.path("count").asInt()).isEqualTo(2);
        assertThat(event.path("firstTimestamp").asText()).isEqualTo("2026-01-01T10:00:00Z");
        assertThat(event.path("lastTimestamp").asText()).isEqualTo("2026-01-01T10:01:00Z");
        assertThat(event.path("metadata").path("uid").asText()).isEqualTo("u-event");
        assertThat(twice.key()).isEqualTo(once.key());
    }

    @Test
    void hasItsOwnNameForEverythingItSays() {
        Notice.Involved another = new Notice.Involved("v1", "PersistentVolumeClaim", "team", "data", "u-2", "7");
        Notice.Involved later = new Notice.Involved("v1", "PersistentVolumeClaim", "team", "data", "u-1", "8");
        assertThat(Stream.of(
                                FAILED,
                                Notice.normal(CLAIM, "ProvisioningFailed", "no room", "provisioner"),
                                Notice.warning(CLAIM, "Failed", "no room", "provisioner"),
                                Notice.warning(CLAIM, "ProvisioningFailed", "no", "provisioner"),
                                Notice.warning(CLAIM, "ProvisioningFailed", "no room", "binder"),
                                Notice.warning(another, "ProvisioningFailed", "no room", "provisioner"))
                        .map(Notice::key))
                .doesNotHaveDuplicates();
        assertThat(Notice.warning(later, "ProvisioningFailed", "no room", "provisioner")
                        .key())
                .as("whatever the revision")
                .isEqualTo(FAILED.key());
    }

    @Test
    void goesToTheDefaultNamespaceForAClusterWideObject() throws IOException {
        Notice.Involved volume = new Notice.Involved("v1", "PersistentVolume", "", "pv", "u", "");
        Notice notice = Notice.normal(volume, "Released", "free again", "binder");
        assertThat(notice.key().namespace()).contains("default");
        JsonNode involved =
                tree(notice.in(Optional.empty(), FIRST, "u-event").at(1)).path("involvedObject");
        assertThat(involved.has("namespace")).isFalse();
        assertThat(involved.has("resourceVersion")).isFalse();
    }

    @Test
    void cutsLongMessagesBetweenCharacters() {
        Notice notice = Notice.normal(CLAIM, "Long", "x" + "ü".repeat(1_000), "binder");
        assertThat(notice.message().getBytes(StandardCharsets.UTF_8)).hasSize(1_023);
        assertThat(notice.message()).endsWith("ü").doesNotContain("\ufffd");
        assertThat(Notice.normal(CLAIM, "Long", "x".repeat(1_024), "binder").message())
                .hasSize(1_024);
    }

    @Test
    void cutsLongNamesSoThatTheyStayNames() {
        String name = "a".repeat(235) + "-" + "b".repeat(17);
        Notice.Involved object = new Notice.Involved("v1", "Pod", "team", name, "u", "");
        String eventName = Notice.normal(object, "R", "m", "c").key().name();
        assertThat(eventName).startsWith("a".repeat(235) + ".").hasSizeLessThanOrEqualTo(253);
    }

    @Test
    void knowsAnObjectFromItsJson() {
        StoredObject event = FAILED.in(Optional.empty(), FIRST, "u-event").at(9);
        assertThat(Notice.Involved.of(event))
                .isEqualTo(
                        new Notice.Involved("v1", "Event", "team", event.key().name(), "u-event", "9"));
    }
}
