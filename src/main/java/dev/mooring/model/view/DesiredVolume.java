package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.StoredObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A DesiredVolume: a volume that a Pod on a node should have. Immutable; any thread. */
public final class DesiredVolume extends View {
    private DesiredVolume(StoredObject stored) {
        super(stored);
    }

    public static DesiredVolume of(StoredObject stored) {
        return new DesiredVolume(stored);
    }

    public static ObjectKey key(String name) {
        return ObjectKey.clusterWide(StorageNames.DESIRED_VOLUMES, name);
    }

    /** The one for a Pod's volume. */
    public static ObjectKey key(Pod pod, String volumeName) {
        return key(NodeVolumeNames.of(pod.name() + '.' + volumeName, pod.uid() + '/' + volumeName));
    }

    public String node() {
        return spec().path("node").asText("");
    }

    public PodOf pod() {
        return PodOf.of(spec().path("pod"));
    }

    /** Within the Pod. */
    public String volumeName() {
        return spec().path("volumeName").asText("");
    }

    /** Its identity on the node; "" while that is not known. */
    public String volume() {
        return spec().path("volume").asText("");
    }

    /** The ActualVolume that is its counterpart, if it is known which volume it is. */
    public Optional<ObjectKey> counterpart() {
        return volume().isEmpty() ? Optional.empty() : Optional.of(ActualVolume.key(node(), volume(), directoryName()));
    }

    /** "" while that is not known. */
    public String plugin() {
        return spec().path("plugin").asText("");
    }

    /** "" if it is none. */
    public String persistentVolume() {
        return spec().path("persistentVolume").asText("");
    }

    /** As directories on the node are called. */
    public String directoryName() {
        return persistentVolume().isEmpty() ? volumeName() : persistentVolume();
    }

    /** Missing if it uses none. */
    public JsonNode claim() {
        return spec().path("claim");
    }

    public ObjectNode source() {
        return spec().path("source") instanceof ObjectNode source ? source : JsonNodeFactory.instance.objectNode();
    }

    public boolean isReadOnly() {
        return spec().path("readOnly").asBoolean(false);
    }

    public VolumeMode mode() {
        return VolumeMode.of(spec().path("volumeMode"));
    }

    public AccessModes accessModes() {
        return AccessModes.of(spec().path("accessModes"));
    }

    public OptionalLong fsGroup() {
        JsonNode group = spec().path("fsGroup");
        return group.isIntegralNumber() ? OptionalLong.of(group.longValue()) : OptionalLong.empty();
    }

    public boolean changesGroupOnRootMismatchOnly() {
        return spec().path("fsGroupChangePolicy").asText("").equals("OnRootMismatch");
    }

    public List<String> mountOptions() {
        List<String> options = new ArrayList<>();
        spec().path("mountOptions").forEach(each -> options.add(each.asText("")));
        return options;
    }

    public Optional<Quantity> capacity() {
        return Claim.quantity(spec().path("capacity"));
    }

    /** Stands for what it should show; "" if that never changes. */
    public String content() {
        return spec().path("content").asText("");
    }

    /** Whether somebody can try to mount it. */
    public boolean isResolved() {
        return !status().path("error").isObject() && !volume().isEmpty();
    }
}
