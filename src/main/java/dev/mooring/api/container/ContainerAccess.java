package dev.mooring.api.container;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Accesses the containers of Pods on any node. Methods never block and are thread-safe; stages complete on any thread
 * and fail with a {@link ContainerAccessException}.
 *
 * <p>Both directions have backpressure: an {@link OutputSink} receives no more output until its last stage completes,
 * and callers of {@link ContainerAccessSession#input} wait for its stage.
 */
public interface ContainerAccess {
    /** Returns an access that refuses everything, for a server without containers. */
    static ContainerAccess unavailable(String why) {
        return new UnavailableContainerAccess(why);
    }

    /** Returns why a container cannot be reached, if this is known without I/O. */
    Optional<ContainerAccessException> refusal(ContainerRef container);

    /** Streams the log of a container and, if requested, follows it. */
    CompletionStage<ContainerAccessSession> logs(ContainerRef container, LogQuery query, OutputSink sink);

    /** Runs a command in the container. */
    CompletionStage<ContainerAccessSession> exec(
            ContainerRef container, List<String> command, Streams streams, OutputSink sink);

    /** Attaches to the container's output from now on, and to its standard input. */
    CompletionStage<ContainerAccessSession> attach(ContainerRef container, Streams streams, OutputSink sink);

    /** The connected streams. With a terminal there is no separate standard error. */
    record Streams(boolean stdin, boolean stdout, boolean stderr, boolean tty) {}

    /** The stream that bytes come from. */
    enum OutputSource {
        STDOUT,
        STDERR
    }

    /**
     * Receives output. May be called before the stage of its session completes, and never after the session has ended.
     */
    interface OutputSink {
        /** Takes ownership of the array. Completes when there is room for more; fails if no more output is wanted. */
        CompletionStage<Void> output(OutputSource source, byte[] bytes);
    }

    /** A running log, exec or attach. */
    interface ContainerAccessSession {
        /** Writes to standard input. Completes when there is room for more. */
        CompletionStage<Void> input(byte[] bytes);

        /** Closes standard input: the process reads an end of file. */
        CompletionStage<Void> closeInput();

        /** Resizes the terminal, if there is one. */
        CompletionStage<Void> resize(int columns, int rows);

        /**
         * Completes when all output has been delivered: with the exit code for exec, else with 0. Fails if the stream
         * broke.
         */
        CompletionStage<Integer> exitCode();

        /** Closes the session. Idempotent. */
        void close();
    }

    /** Refuses every request with a fixed reason. */
    record UnavailableContainerAccess(String reason) implements ContainerAccess {
        @Override
        public Optional<ContainerAccessException> refusal(ContainerRef container) {
            return Optional.of(failure());
        }

        @Override
        public CompletionStage<ContainerAccessSession> logs(ContainerRef container, LogQuery query, OutputSink sink) {
            return CompletableFuture.failedFuture(failure());
        }

        @Override
        public CompletionStage<ContainerAccessSession> exec(
                ContainerRef container, List<String> command, Streams streams, OutputSink sink) {
            return CompletableFuture.failedFuture(failure());
        }

        @Override
        public CompletionStage<ContainerAccessSession> attach(
                ContainerRef container, Streams streams, OutputSink sink) {
            return CompletableFuture.failedFuture(failure());
        }

        private ContainerAccessException failure() {
            return new ContainerAccessException(ContainerAccessException.AccessFailureReason.NO_RUNTIME, reason);
        }
    }

    /**
     * A container of a Pod. Immutable.
     *
     * @param node the node of the Pod
     * @param id as in the Pod's status, such as docker://…; "" for the newest one of that name. Clients may have
     *     written it: it must only select among the Pod's own containers
     */
    record ContainerRef(String node, String namespace, String pod, String podUid, String container, String id) {

        /** Returns the {@link #id} without the runtime's name. */
        public String bareId() {
            int scheme = id.indexOf("://");
            return scheme < 0 ? id : id.substring(scheme + 3);
        }
    }

    /**
     * The requested part of a log. Immutable.
     *
     * @param since start time; empty: from the beginning
     * @param tail number of last lines; empty: all
     * @param timestamps whether each line starts with its time, in RFC 3339 with nine fractional digits
     */
    record LogQuery(Optional<Instant> since, OptionalLong tail, boolean follow, boolean timestamps) {}

    /** A container could not be reached, or a request to it failed. The message is for users. */
    final class ContainerAccessException extends Exception {
        private final AccessFailureReason reason;

        /** The kind of failure. */
        public enum AccessFailureReason {
            /** The server does not run containers. */
            NO_RUNTIME,
            /** The container runtime does not respond. */
            UNREACHABLE,
            /** Too many concurrent requests. */
            BUSY,
            /** The container no longer exists. */
            GONE,
            /** The request is not possible. */
            REFUSED,
            /** The request failed. */
            FAILED
        }

        public ContainerAccessException(AccessFailureReason reason, String message) {
            super(message);
            this.reason = reason;
        }

        public ContainerAccessException(AccessFailureReason reason, String message, Throwable cause) {
            super(message, cause);
            this.reason = reason;
        }

        public AccessFailureReason reason() {
            return reason;
        }
    }
}
