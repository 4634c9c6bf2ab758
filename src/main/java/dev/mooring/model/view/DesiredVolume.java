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

/** A DesiredVolume: a volume that a Pod on a node should have. Immutable; thread-safe. */
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

    /** Returns the key for a Pod's volume. */
    public static ObjectKey key(Pod pod, String volumeName) {
        return key(NodeVolumeNames.of(pod.name() + '.' + volumeName, pod.uid() + '/' + volumeName));
    }

    public String node() {
        return spec().path("node").asText("");
    }

    public PodReference pod() {
        return PodReference.of(spec().path("pod"));
    }

    /** Returns the volume's name in the Pod. */
    public String volumeName() {
        return spec().path("volumeName").asText("");
    }

    /** Returns its unique name on the node; "" while unknown. */
    public String volume() {
        return spec().path("volume").asText("");
    }

    /** Returns the corresponding ActualVolume, if the volume is known and its name is valid. */
    public Optional<ObjectKey> counterpart() {
        return volume().isEmpty()
                ? Optional.empty()
                : ObjectKey.ifValid(StorageNames.ACTUAL_VOLUMES
                        + '/'
                        + NodeVolumeNames.of(directoryName(), node() + '/' + volume()));
    }

    /** Returns the plugin; "" while unknown. */
    public String plugin() {
        return spec().path("plugin").asText("");
    }

    /** Returns the PersistentVolume; "" if it is none. */
    public String persistentVolume() {
        return spec().path("persistentVolume").asText("");
    }

    /** Returns the name of its directories on the node. */
    public String directoryName() {
        return persistentVolume().isEmpty() ? volumeName() : persistentVolume();
    }

    /** Returns the claim; missing if it uses none. */
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

    /** Returns the fingerprint of the desired content; "" if it never changes. */
    public String content() {
        return spec().path("content").asText("");
    }

    /** Returns whether the volume can be mounted. */
    public boolean isResolved() {
        return !status().path("error").isObject() && !volume().isEmpty();
    }
}
