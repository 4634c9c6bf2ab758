package dev.mooring.runtime;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;

/**
 * Input and output streams of containers. Opening blocks; output is passed to a {@link Sink} on the engine client's
 * threads. Any thread.
 */
public interface ContainerStreams {
    /** Streams a container's past output and, if requested, follows it. */
    Session logs(String id, LogRequest request, Sink sink) throws EngineException, InterruptedException;

    /** Runs an additional process in a running container. */
    Session exec(String id, ExecRequest request, Sink sink) throws EngineException, InterruptedException;

    /** Attaches to a running container: its output from now on, and its standard input if it has one. */
    Session attach(String id, StreamSelection wanted, Sink sink) throws EngineException, InterruptedException;

    /**
     * Options of a log stream.
     *
     * @param since empty: from the beginning
     * @param tail number of last lines; empty: all
     */
    record LogRequest(Optional<Instant> since, OptionalInt tail, boolean follow, boolean timestamps) {}

    record ExecRequest(List<String> command, StreamSelection streams) {
        public ExecRequest {
            command = List.copyOf(command);
        }
    }

    /** The streams to connect. With a terminal there is no separate standard error. */
    record StreamSelection(boolean stdin, boolean stdout, boolean stderr, boolean tty) {}

    /** The source of output. */
    enum Channel {
        STDOUT,
        STDERR
    }

    /** Receives output. */
    interface Sink {
        /** Receives output. May block, which applies backpressure to the process. Throws to end the session. */
        void output(Channel channel, byte[] bytes) throws java.io.IOException, InterruptedException;
    }

    /** An open stream. */
    interface Session extends AutoCloseable {
        /** Writes to standard input. Blocks while the buffer is full. */
        void writeInput(byte[] bytes) throws EngineException, InterruptedException;

        /** Closes standard input: the process reads an end of file. */
        void closeInput() throws EngineException, InterruptedException;

        /** Resizes the terminal, if there is one. */
        void resize(int columns, int rows) throws EngineException, InterruptedException;

        /**
         * Completes after all output has been passed to the sink, with the exit code of an exec process, or 0 for
         * others. Fails if the connection broke.
         */
        CompletionStage<Integer> exitCode();

        /** Closes the stream. An exec process continues without output. */
        @Override
        void close();
    }
}
