package dev.mooring.runtime;

import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * An engine that runs containers.
 *
 * <p>Unless stated otherwise, methods block until the engine has responded, can be interrupted, and have their own
 * deadline. Operations are idempotent: creating an existing container, starting a running one, stopping an ended one
 * and removing a missing one succeed. Only containers with this Mooring's instance label are ever passed to it. Any
 * thread, several at once.
 */
public interface ContainerRuntime extends ContainerStreams, AutoCloseable {
    /** The repository of the sandbox image that Mooring builds itself. Pods must not use it. */
    String PAUSE_REPOSITORY = "mooring.dev/pause";

    /** Returns name and version; also used to check whether the engine responds. */
    EngineInfo info() throws EngineException, InterruptedException;

    /** Returns all containers with this value of {@link ContainerLabels#INSTANCE}, including ended ones. */
    List<ContainerFacts> list(String instance) throws EngineException, InterruptedException;

    /** Returns a container; empty if it is gone. */
    Optional<ContainerFacts> inspect(String id) throws EngineException, InterruptedException;

    /** Returns the containers of any owner that name a volume of the engine, including ended ones. */
    default List<VolumeUser> volumeUsers(String volume) throws EngineException, InterruptedException {
        return List.of();
    }

    /**
     * Creates a container without starting it, and returns its ID. Returns an existing container with this name and
     * these labels; one with this name and other labels is a {@link EngineException.Kind#CONFLICT}.
     */
    String create(ContainerSpec spec) throws EngineException, InterruptedException;

    void start(String id) throws EngineException, InterruptedException;

    /**
     * Returns the main process of a running container, in this machine's PID namespace. Empty if it has ended, or if
     * this machine cannot see the engine's processes.
     */
    default OptionalLong pid(String id) throws EngineException, InterruptedException {
        return OptionalLong.empty();
    }

    /** Returns the IPv4 networks of sandboxes with their own network, such as 172.17.0.0/16. */
    default List<String> podNetworks() throws EngineException, InterruptedException {
        return List.of();
    }

    /** Stops a container: asks it to terminate, and kills it after the grace period. Returns when it has ended. */
    void stop(String id, Duration grace) throws EngineException, InterruptedException;

    /** Removes a container with its data outside of volumes. Kills it if it runs. */
    void remove(String id) throws EngineException, InterruptedException;

    /** Returns an image; empty if the engine does not have it. */
    Optional<ImageFacts> image(String reference) throws EngineException, InterruptedException;

    /** Pulls an image from its registry. */
    ImageFacts pull(String reference, Optional<Credentials> credentials, PullProgress progress)
            throws EngineException, InterruptedException;

    /**
     * Creates an image with one layer.
     *
     * @param layer a tar archive
     */
    ImageFacts importImage(String reference, InputStream layer, List<String> entrypoint)
            throws EngineException, InterruptedException;

    /**
     * Watches events of containers with this value of {@link ContainerLabels#INSTANCE} until it is closed or the engine
     * becomes unreachable. Returns when the stream is established, so that a subsequent list misses nothing.
     */
    AutoCloseable watchEvents(String instance, EventListener follower) throws EngineException, InterruptedException;

    /** Receives events, one at a time, on an engine client thread. */
    interface EventListener {
        /** A container was created, started, stopped or removed, or ran out of memory. */
        void onEvent(String containerId);

        /** The stream has ended. Called once, and not after a close. */
        void onStreamEnded(EngineException why);
    }

    /** The progress of a pull. Called often. */
    @FunctionalInterface
    interface PullProgress {
        PullProgress IGNORED = (done, total) -> {};

        /** Reports bytes, as far as known. */
        void progress(long doneBytes, long totalBytes);
    }

    /** Registry credentials. */
    record Credentials(String server, String user, String password) {
        @Override
        public String toString() {
            return user + '@' + server;
        }
    }

    /**
     * A container that names a volume.
     *
     * @param name without a slash
     * @param image as given by the user
     * @param state the engine's, such as created, running or exited
     */
    record VolumeUser(String id, String name, String image, String state) {
        /** Returns whether the container has ended and is not about to be started again by itself. */
        public boolean hasEnded() {
            return state.equals("exited") || state.equals("dead");
        }
    }

    @Override
    void close();

    /**
     * Name and version of an engine.
     *
     * @param name such as {@code docker}
     * @param version such as 20.10.24
     * @param apiVersion such as 1.41
     * @param storage storage driver, such as overlay2
     */
    record EngineInfo(String name, String version, String apiVersion, String storage) {
        /** Returns the version as {@code kubectl get nodes -o wide} shows it. */
        public String runtimeVersion() {
            return name + "://" + version;
        }
    }
}
