package dev.mooring.node.status;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AttachmentReportTest {
    private static final String KEY = "volumeattachments.storage.k8s.io/a";
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private World world = WorldFixture.of("""
        apiVersion: storage.k8s.io/v1
        kind: VolumeAttachment
        metadata: {name: a, unknown: kept}
        spec: {attacher: block.mooring.dev, nodeName: n1, source: {persistentVolumeName: pv}}
        """);

    private StoredObject stored() {
        return world.get(ObjectKey.parse(KEY)).orElseThrow();
    }

    private JsonNode after(Optional<Proposal> proposal) {
        assertThat(proposal.orElseThrow().actor()).isEqualTo("node/n1");
        world = WorldFixture.after(world, proposal.orElseThrow());
        return WorldFixture.tree(world, KEY);
    }

    @Test
    void report_attachAndDetach_updatesVolumeAttachment() {
        JsonNode attaching = after(AttachmentReport.attaching(stored(), "n1"));
        assertThat(attaching.path("metadata").path("finalizers").get(0).asText())
                .isEqualTo(AttachmentReport.FINALIZER);
        assertThat(AttachmentReport.attaching(stored(), "n1")).isEmpty();
        JsonNode failed = after(AttachmentReport.failed(stored(), "n1", "no loop device", NOW));
        assertThat(failed.path("status").toString())
                .isEqualTo("{\"attached\":false,\"attachError\":{\"time\":\"2026-01-01T00:00:00Z\","
                        + "\"message\":\"no loop device\"}}");
        assertThat(AttachmentReport.failed(stored(), "n1", "no loop device", NOW.plusSeconds(1)))
                .isEmpty();
        JsonNode attached = after(AttachmentReport.attached(stored(), "n1", "/dev/loop3"));
        assertThat(attached.path("status").toString())
                .isEqualTo("{\"attached\":true,\"attachmentMetadata\":{\"devicePath\":\"/dev/loop3\"}}");
        assertThat(attached.path("metadata").path("finalizers")).hasSize(1);
        assertThat(attached.path("metadata").path("unknown").asText()).isEqualTo("kept");
        assertThat(AttachmentReport.attached(stored(), "n1", "/dev/loop3")).isEmpty();
        JsonNode detached = after(Optional.of(AttachmentReport.detached(stored(), "n1")));
        assertThat(detached.path("status").toString()).isEqualTo("{\"attached\":false}");
        assertThat(detached.path("metadata").has("finalizers")).isFalse();
    }

    @Test
    void detached_attachmentBeingDeleted_isRemoved() {
        after(AttachmentReport.attached(stored(), "n1", "/dev/loop3"));
        world = WorldFixture.put(world, withDeletion());
        assertThat(AttachmentReport.attaching(stored(), "n1")).isEmpty();
        JsonNode failed = after(AttachmentReport.failed(stored(), "n1", "busy", NOW));
        assertThat(failed.path("status").path("detachError").path("message").asText())
                .isEqualTo("busy");
        world = WorldFixture.after(world, AttachmentReport.detached(stored(), "n1"));
        assertThat(world.get(ObjectKey.parse(KEY))).isEmpty();
    }

    private ObjectNode withDeletion() {
        ObjectNode attachment = WorldFixture.tree(world, KEY);
        attachment.withObject("/metadata").put("deletionTimestamp", "2026-01-01T00:00:00Z");
        return attachment;
    }
}
