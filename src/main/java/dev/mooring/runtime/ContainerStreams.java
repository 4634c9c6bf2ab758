package dev.mooring.runtime;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;

/**
 * What goes into and comes out of containers. Beginning blocks; what comes out is handed to a {@link Sink} on threads of the engine's. Any thread.
 */
public interface ContainerStreams {
    /** What a container has written and, if asked for, goes on to write. */
    Session logs(String id, LogRequest request, Sink sink) throws EngineException, InterruptedException;

    /** Runs a further process in a container that runs. */
    Session exec(String id, ExecRequest request, Sink sink) throws EngineException, InterruptedException;

    /** Joins a container that runs: what it writes from now on, and its standard input if it has one. */
    Session attach(String id, Wanted wanted, Sink sink) throws EngineException, InterruptedException;

    /**
     * @param since nothing: from the beginning
     * @param tail how many of the last lines; nothing: all
     */
    record LogRequest(Optional<Instant> since, OptionalInt tail, boolean follow, boolean timestamps) {}

    record ExecRequest(List<String> command, Wanted wanted) {
        public ExecRequest {
            command = List.copyOf(command);
        }
    }

    /** Which of its streams are connected. With a terminal there is no standard error of its own. */
    record Wanted(boolean stdin, boolean stdout, boolean stderr, boolean tty) {}

    /** Where from. */
    enum Channel {
        STDOUT,
        STDERR
    }

    /** Takes what comes out. */
    interface Sink {
        /** May block, which holds the writer back. Who does not want any more throws. */
        void output(Channel channel, byte[] bytes) throws java.io.IOException, InterruptedException;
    }

    /** One of the above, under way. */
    interface Session extends AutoCloseable {
        /** To standard input. Blocks while there is no room. */
        void input(byte[] bytes) throws EngineException, InterruptedException;

        /** Nothing more comes in: the process reads an end of file. */
        void endInput() throws EngineException, InterruptedException;

        /** Of the terminal, if there is one. */
        void resize(int columns, int rows) throws EngineException, InterruptedException;

        /** When everything has been handed to the sink: the exit code of a process that was run, 0 of anything else. Fails if it broke. */
        CompletionStage<Integer> ended();

        /** Lets go. A process that was run goes on, without anybody who listens. */
        @Override
        void close();
    }
}
