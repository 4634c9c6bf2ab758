package dev.mooring.volume.work;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.model.view.VolumeOperation;
import java.util.Map;
import java.util.Optional;

/**
 * What is to be done to the data of one volume. Immutable.
 *
 * @param volume name of the PersistentVolume
 * @param uid its identity, which what is made for it is marked with
 * @param path where below its base the data is to be made; also for deleting what a Provision may have left
 * @param source where the data is, as in a PersistentVolume; nothing before it is made
 * @param bytes how large it should be
 * @param parameters of the class
 */
public record VolumeWork(
        VolumeOperation.Work work,
        String provisioner,
        String volume,
        String uid,
        String path,
        Optional<ObjectNode> source,
        VolumeMode mode,
        long bytes,
        Map<String, String> parameters) {
    public VolumeWork {
        parameters = Map.copyOf(parameters);
    }

    Optional<String> parameter(String name) {
        return Optional.ofNullable(parameters.get(name)).filter(value -> !value.isEmpty());
    }

    /** A text of the source, such as {@code hostPath}, {@code path}. */
    Optional<String> fromSource(String kind, String field) {
        return source.map(node -> node.path(kind).path(field).asText("")).filter(text -> !text.isEmpty());
    }
}
