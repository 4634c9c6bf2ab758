package dev.mooring.api.container;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The way to the containers of Pods, on whatever node they run. Nothing here blocks; any thread may call, and stages complete on any thread.
 * What fails, fails with a {@link ContainerAccessException}.
 *
 * <p>Both directions are held back by who takes the bytes: an {@link Outlet} gets no more before the stage of its last answer is complete, and who
 * sends {@link Session#input} waits for its stage.
 */
public interface ContainerAccess {
    /** For a server on which no container runs. */
    static ContainerAccess none(String why) {
        return new NoContainers(why);
    }

    /** Why a container cannot be reached, as far as that is known without asking anybody. */
    Optional<ContainerAccessException> refusal(ContainerRef container);

    /** What it has written and, if wanted, goes on to write. */
    CompletionStage<Session> logs(ContainerRef container, LogWish wish, Outlet outlet);

    /** Runs a further process in it. */
    CompletionStage<Session> exec(ContainerRef container, List<String> command, Streams streams, Outlet outlet);

    /** Joins it: what it writes from now on, and its standard input. */
    CompletionStage<Session> attach(ContainerRef container, Streams streams, Outlet outlet);

    /** Which streams are connected. With a terminal there is no standard error of its own. */
    record Streams(boolean stdin, boolean stdout, boolean stderr, boolean tty) {}

    /** Where bytes come from. */
    enum Source {
        STDOUT,
        STDERR
    }

    /** Takes what comes out. May be called before the stage of its session is complete, and never again once that has ended. */
    interface Outlet {
        /** Completes when there is room for more; fails when nothing more is wanted. The array is the outlet's from then on. */
        CompletionStage<Void> output(Source source, byte[] bytes);
    }

    /** One of the above, under way. */
    interface Session {
        /** To standard input. Completes when there is room for more. */
        CompletionStage<Void> input(byte[] bytes);

        /** Nothing more comes in: the process reads an end of file. */
        CompletionStage<Void> endInput();

        /** Of the terminal, if there is one. */
        CompletionStage<Void> resize(int columns, int rows);

        /** When everything has gone to the outlet: the exit code of a process that was run, 0 of anything else. Fails if it broke. */
        CompletionStage<Integer> ended();

        /** Lets go. Again and again, without harm. */
        void close();
    }

    /** Nobody there. */
    record NoContainers(String why) implements ContainerAccess {
        @Override
        public Optional<ContainerAccessException> refusal(ContainerRef container) {
            return Optional.of(failure());
        }

        @Override
        public CompletionStage<Session> logs(ContainerRef container, LogWish wish, Outlet outlet) {
            return CompletableFuture.failedFuture(failure());
        }

        @Override
        public CompletionStage<Session> exec(
                ContainerRef container, List<String> command, Streams streams, Outlet outlet) {
            return CompletableFuture.failedFuture(failure());
        }

        @Override
        public CompletionStage<Session> attach(ContainerRef container, Streams streams, Outlet outlet) {
            return CompletableFuture.failedFuture(failure());
        }

        private ContainerAccessException failure() {
            return new ContainerAccessException(ContainerAccessException.Kind.NO_RUNTIME, why);
        }
    }
}
