package dev.mooring.node.reconcile;

import dev.mooring.control.StoredJson;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.CsiNames;
import dev.mooring.model.view.StorageNames;
import dev.mooring.node.status.AttachmentReport;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Says of VolumeAttachments whose attacher this node is what has become of them. For the thread of its index. */
final class Attacher {
    private final String node;
    private final VolumeIndex index;

    Attacher(String node, VolumeIndex index) {
        this.node = node;
        this.index = index;
    }

    boolean isOurs(StoredObject attachment) {
        return StoredJson.mentions(attachment, StorageNames.BLOCK_DRIVER) && isFor(attachment);
    }

    private boolean isFor(StoredObject attachment) {
        var spec = StoredJson.tree(attachment).path("spec");
        return spec.path("attacher").asText("").equals(StorageNames.BLOCK_DRIVER)
                && spec.path("nodeName").asText("").equals(node);
    }

    /** The PersistentVolume it is about. */
    static String volume(StoredObject attachment) {
        return StoredJson.tree(attachment)
                .path("spec")
                .path("source")
                .path("persistentVolumeName")
                .asText("");
    }

    /** The one that is about a volume, if it is one of those that are attached. */
    Optional<ObjectKey> key(ActualVolume volume) {
        return CsiNames.attachment(volume.volume(), node)
                .map(name -> ObjectKey.clusterWide(StorageNames.ATTACHMENTS, name));
    }

    List<Proposal> report(World world, StoredObject attachment, Instant now) {
        Optional<ActualVolume> found = index.actualOfVolume(world, volume(attachment)).stream()
                .filter(each -> each.node().equals(node))
                .filter(each -> key(each).filter(attachment.key()::equals).isPresent())
                .findFirst();
        String attached = found.map(ActualVolume::attachment).orElse("");
        String failed = found.map(each -> each.trying().failedOperation()).orElse("");
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
