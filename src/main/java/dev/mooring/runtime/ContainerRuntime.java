package dev.mooring.runtime;

import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * An engine that runs containers.
 *
 * <p>Everything but what says otherwise blocks its thread until the engine has answered, may be interrupted, and has a deadline of its own.
 * What can be asked again may be: making a container that is there, starting one that runs, ending one that has ended and removing one that is gone
 * succeed. Only containers that carry this Mooring's label are ever named to it. Any thread, several at once.
 */
public interface ContainerRuntime extends ContainerStreams, AutoCloseable {
    /** Who it is; also the way to find out whether it is there. */
    EngineInfo info() throws EngineException, InterruptedException;

    /** All containers with this value of {@link Labels#INSTANCE}, ended ones too. */
    List<ContainerFacts> list(String instance) throws EngineException, InterruptedException;

    /** Nothing if it is gone. */
    Optional<ContainerFacts> inspect(String id) throws EngineException, InterruptedException;

    /**
     * Makes a container without starting it, and answers with its id. If one of this name and these labels is there, that is it; one of this
     * name with other labels is a {@link EngineException.Kind#CONFLICT}.
     */
    String create(ContainerSpec spec) throws EngineException, InterruptedException;

    void start(String id) throws EngineException, InterruptedException;

    /**
     * The process that a container which runs has begun with, by this machine's numbers. Nothing if it has ended, or if this machine cannot see the
     * engine's processes.
     */
    default OptionalLong process(String id) throws EngineException, InterruptedException {
        return OptionalLong.empty();
    }

    /** Asks it to end, and ends it when the time is up. Returns when it has ended. */
    void stop(String id, Duration grace) throws EngineException, InterruptedException;

    /** With what it has written outside of its volumes. Ends it if it runs. */
    void remove(String id) throws EngineException, InterruptedException;

    /** Nothing if the engine does not have it. */
    Optional<ImageFacts> image(String reference) throws EngineException, InterruptedException;

    /** Fetches an image from its registry. */
    ImageFacts pull(String reference, Optional<Credentials> credentials, PullProgress progress)
            throws EngineException, InterruptedException;

    /**
     * Makes an image of one layer, under a reference.
     *
     * @param layer a tar archive
     */
    ImageFacts importImage(String reference, InputStream layer, List<String> entrypoint)
            throws EngineException, InterruptedException;

    /**
     * Tells what happens to containers with this value of {@link Labels#INSTANCE} from now on, until it is closed or the engine goes. Returns
     * when the engine has begun to tell, so that who lists afterwards misses nothing.
     */
    AutoCloseable follow(String instance, Follower follower) throws EngineException, InterruptedException;

    /** Is told, on a thread of the engine's, one after another. */
    interface Follower {
        /** Something happened to a container: it was made, started, ended, removed, or ran out of memory. */
        void happened(String containerId);

        /** Nothing more will be told. Once, and not if it was closed. */
        void ended(EngineException why);
    }

    /** How a pull goes. Called often. */
    @FunctionalInterface
    interface PullProgress {
        PullProgress IGNORED = (done, total) -> {};

        /** Bytes, as far as known by now. */
        void progress(long doneBytes, long totalBytes);
    }

    /** For a registry. */
    record Credentials(String server, String user, String password) {
        @Override
        public String toString() {
            return user + '@' + server;
        }
    }

    @Override
    void close();
}
