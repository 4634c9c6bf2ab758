package dev.mooring.replay.explain;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.EventReasons;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Volume;
import dev.mooring.replay.explain.Explanation.Finding;
import dev.mooring.replay.explain.Explanation.ObjectRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Explains VolumeAttachments: attached, waiting for the node or the attacher, or failed. */
final class AttachmentExplainer implements ResourceExplainer {
    @Override
    public Explained explain(StoredObject object, ExplainContext context) {
        JsonNode spec = object.tree().path("spec");
        JsonNode status = object.tree().path("status");
        boolean isDetaching = GenericExplainer.isTerminating(object);
        boolean isAttached = status.path("attached").asBoolean(false);
        String volume = spec.path("source").path("persistentVolumeName").asText("");
        String node = spec.path("nodeName").asText("");
        List<Finding> findings = new ArrayList<>();
        error(status.path(isDetaching ? "detachError" : "attachError"), isDetaching)
                .ifPresent(findings::add);
        NodeFindings.notReady(node, context).ifPresent(findings::add);
        Volume.keyIfValid(volume)
                .filter(key -> context.world().get(key).isEmpty())
                .ifPresent(key -> findings.add(Finding.failed("PersistentVolume " + volume + " does not exist.")
                        .about(key)
                        .next("See when it was deleted.", Commands.mooring("history", key))
                        .build()));
        if (isDetaching) {
            GenericExplainer.deletionRequest(object, context).ifPresent(findings::add);
            findings.addAll(GenericExplainer.finalizers(object, Set.of()));
        } else if (!isAttached && findings.isEmpty()) {
            Finding.Builder attacher = Finding.waiting(
                    "Attacher " + spec.path("attacher").asText("") + " has not reported that the volume is attached.");
            NodeFindings.key(node)
                    .ifPresent(key -> attacher.next("Check the node.", Commands.kubectl("describe", key)));
            findings.add(attacher.build());
        }
        String state = isDetaching ? "Detaching" : isAttached ? "Attached" : "Attaching";
        String text = ObjectRef.of(object) + " is " + state + " (PersistentVolume " + volume + ", node " + node + ").";
        return new Explained(
                state,
                GenericExplainer.asSeriousAs(findings, text).about(object).build());
    }

    private static Optional<Finding> error(JsonNode error, boolean isDetaching) {
        String message = error.path("message").asText("");
        return message.isEmpty()
                ? Optional.empty()
                : Optional.of(Finding.failed(ClaimExplainer.sentence(message))
                        .reason(isDetaching ? EventReasons.FAILED_DETACH_VOLUME : EventReasons.FAILED_ATTACH_VOLUME)
                        .at(GenericExplainer.time(error.path("time")))
                        .build());
    }
}
