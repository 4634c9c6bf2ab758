package dev.mooring.node.volumemanager;

import dev.mooring.control.StoredJson;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.CsiNames;
import dev.mooring.model.view.StorageNames;
import dev.mooring.node.status.AttachmentReport;
import dev.mooring.world.Proposal;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Reports the state of VolumeAttachments whose attacher is this node. Stateless. */
final class AttachmentStatusReporter {
    private final String node;

    AttachmentStatusReporter(String node) {
        this.node = node;
    }

    boolean isOwnAttachment(StoredObject attachment) {
        return attachment.containsText(StorageNames.BLOCK_DRIVER) && isFor(attachment);
    }

    private boolean isFor(StoredObject attachment) {
        var spec = attachment.tree().path("spec");
        return spec.path("attacher").asText("").equals(StorageNames.BLOCK_DRIVER)
                && spec.path("nodeName").asText("").equals(node);
    }

    /** Returns the attachment's PersistentVolume. */
    static String volume(StoredObject attachment) {
        return attachment
                .tree()
                .path("spec")
                .path("source")
                .path("persistentVolumeName")
                .asText("");
    }

    /** Returns the attachment of a volume, if its type is attachable. */
    Optional<ObjectKey> attachmentKey(ActualVolume volume) {
        return CsiNames.attachment(volume.volume(), node)
                .map(name -> ObjectKey.clusterWide(StorageNames.ATTACHMENTS, name));
    }

    List<Proposal> report(ActualStateOfWorld actual, StoredObject attachment, Instant now) {
        Optional<ActualVolume> found = actual.volumesOfPersistentVolume(volume(attachment)).stream()
                .filter(actual::isOnThisNode)
                .filter(each ->
                        attachmentKey(each).filter(attachment.key()::equals).isPresent())
                .findFirst();
        String attached = found.map(ActualVolume::attachment).orElse("");
        String failed = found.map(each -> each.retryState().failedOperation()).orElse("");
        boolean going = StoredJson.isBeingDeleted(attachment);
        if (going && attached.isEmpty()) {
            return List.of(AttachmentReport.detached(attachment, node));
        }
        Optional<Proposal> announced = AttachmentReport.attaching(attachment, node);
        if (announced.isPresent()) {
            return List.of(announced.get());
        }
        if (failed.equals((going ? Operation.DETACH : Operation.ATTACH).text())) {
            String message =
                    found.get().status().path("lastError").path("message").asText("");
            return AttachmentReport.failed(attachment, node, message, now).stream()
                    .toList();
        }
        if (!going && attached.equals(ActualVolume.ATTACHED)) {
            return AttachmentReport.attached(attachment, node, found.get().devicePath()).stream()
                    .toList();
        }
        return List.of();
    }
}
