package dev.mooring.volume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Sets up and tears down volumes of one type.
 *
 * <p>Operations with side effects block, can be interrupted and are idempotent: a correct existing state is success. An
 * operation that throws has cleaned up, or its exception says that it has not. Plugins delete only files that Mooring
 * created. Called from several threads, but never concurrently for the same volume and Pod, and for
 * {@link DevicePlugin}s never concurrently for the same volume.
 */
public interface VolumePlugin {
    /**
     * Returns the Kubernetes name of the plugin, such as {@code kubernetes.io/nfs}. Directory names have ~ in place of
     * /.
     */
    String name();

    /** Returns whether this plugin handles the volume source. */
    boolean supports(JsonNode source);

    /**
     * Returns the identity of a volume that all Pods of a node share; empty if each Pod has its own volume.
     *
     * @param name of the PersistentVolume
     */
    default Optional<String> sharedIdentity(String name, JsonNode source) {
        return Optional.empty();
    }

    /**
     * Returns the worker pool for operations on the volume. Volumes of different servers use different pools, so that a
     * dead server does not delay the others.
     */
    default WorkerPoolKey workerPool(VolumeSpec volume) {
        return WorkerPoolKey.LOCAL;
    }

    /** Returns an error that names the first unsupported mount option; empty if all are supported. */
    default Optional<String> mountOptionsError(List<String> mountOptions) {
        return mountOptions.isEmpty()
                ? Optional.empty()
                : Optional.of("unsupported volume type: " + name() + " takes no mountOptions");
    }

    /**
     * Returns a value that changes when the content of the volume must be updated; "" if it never changes. Missing
     * objects are not an error here.
     */
    default String contentVersion(JsonNode source, ObjectNode pod, ObjectLookup objects) {
        return "";
    }

    /** Returns the interval at which the content must be renewed without any change of objects; empty if never. */
    default Optional<Duration> contentRenewal(JsonNode source) {
        return Optional.empty();
    }

    /** Sets up the volume, or updates its content. */
    SetUpResult setUp(SetUpRequest request, OperationProgress progress) throws VolumeException, InterruptedException;

    /** Tears down the volume. A missing volume is success. */
    void tearDown(TearDownRequest request, OperationProgress progress) throws VolumeException, InterruptedException;
}
