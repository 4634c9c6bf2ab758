package dev.mooring.volume.work;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.model.view.VolumeOperation;
import java.util.Map;
import java.util.Optional;

/**
 * A job on the data of one volume. Immutable.
 *
 * @param volume name of the PersistentVolume
 * @param uid of the PersistentVolume, recorded in its marker
 * @param path path below the base for new data; also used to remove what an unfinished provisioning left
 * @param source volume source as in a PersistentVolume; empty before it is created
 * @param bytes requested size
 * @param parameters of the StorageClass
 * @param claim the current or last claim; empty if unknown
 */
public record VolumeWork(
        VolumeOperation.OperationType work,
        String provisioner,
        String volume,
        String uid,
        String path,
        Optional<ObjectNode> source,
        VolumeMode mode,
        long bytes,
        Map<String, String> parameters,
        Optional<ClaimIdentity> claim) {
    public VolumeWork {
        parameters = Map.copyOf(parameters);
    }

    Optional<String> parameter(String name) {
        return Optional.ofNullable(parameters.get(name)).filter(value -> !value.isEmpty());
    }

    /** Returns a string of the volume source, such as {@code hostPath}, {@code path}. */
    Optional<String> fromSource(String kind, String field) {
        return source.map(node -> node.path(kind).path(field).asText("")).filter(text -> !text.isEmpty());
    }
}
