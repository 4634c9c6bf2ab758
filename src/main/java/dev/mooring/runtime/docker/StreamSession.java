package dev.mooring.runtime.docker;

import dev.mooring.runtime.ContainerStreams.Session;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A session whose own thread passes a connection's output to a sink, chunk by chunk: nothing is read while the sink
 * blocks, so the engine applies backpressure to the process.
 *
 * <p>It ends once: at the end of the stream, with a failure, by a sink that throws, or by {@link #close}, which
 * interrupts the sink and does not wait for it. The connection is closed before {@link #exitCode} completes. Any
 * thread.
 */
final class StreamSession implements Session {
    private final Connection connection;
    private final SessionContext context;
    private final Consumer<StreamSession> onEnd;
    private final CompletableFuture<Integer> ended = new CompletableFuture<>();
    private final ReentrantLock writing = new ReentrantLock();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Thread thread;
    private boolean inputEnded;

    /** The differences between logs, exec processes and attached containers. */
    record SessionContext(
            StreamDecoder decoder,
            StreamDecoder.ProcessOutput output,
            Optional<ProcessInput> input,
            ResizableTerminal terminal,
            ExitCodeSource exitCode) {}

    /** Provides the exit code. */
    interface ExitCodeSource {
        /**
         * Returns the exit code.
         *
         * @param broken empty: the output has ended normally
         * @return the exit code
         */
        int exitCode(Optional<EngineException> broken) throws EngineException, InterruptedException;

        /** Returns a source for streams without an exit code. */
        static ExitCodeSource none() {
            return broken -> {
                if (broken.isPresent()) {
                    throw broken.get();
                }
                return 0;
            };
        }
    }

    /** A terminal that can be resized. */
    interface ResizableTerminal {
        ResizableTerminal NONE = (columns, rows) -> {};

        void resize(int columns, int rows) throws EngineException, InterruptedException;
    }

    /**
     * Creates a session.
     *
     * @param afterwards called once, when it has ended
     */
    StreamSession(String name, Connection connection, SessionContext context, Consumer<StreamSession> afterwards) {
        this.connection = connection;
        this.context = context;
        this.onEnd = afterwards;
        this.thread = new Thread(this::run, "mooring-stream-" + name);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    @Override
    public void writeInput(byte[] bytes) throws EngineException, InterruptedException {
        ProcessInput input = context.input().orElseThrow(StreamSession::withoutInput);
        writing.lockInterruptibly();
        try {
            if (inputEnded || closed.get()) {
                throw alreadyEnded();
            }
            input.write(connection, bytes);
        } catch (IOException e) {
            throw unwritten(e);
        } finally {
            writing.unlock();
        }
    }

    @Override
    public void closeInput() throws EngineException, InterruptedException {
        ProcessInput input = context.input().orElseThrow(StreamSession::withoutInput);
        writing.lockInterruptibly();
        try {
            if (!inputEnded && !closed.get()) {
                inputEnded = true;
                input.end(connection);
            }
        } catch (IOException e) {
            if (Thread.interrupted()) {
                throw interrupted(e);
            }
            // The reader has gone; the result is reported at the end.
        } finally {
            writing.unlock();
        }
    }

    @Override
    public void resize(int columns, int rows) throws EngineException, InterruptedException {
        try {
            if (!closed.get()) {
                context.terminal().resize(columns, rows);
            }
        } catch (EngineException e) {
            if (!closed.get()) {
                throw e;
            }
        }
    }

    @Override
    public CompletionStage<Integer> exitCode() {
        return ended.minimalCompletionStage();
    }

    @Override
    public void close() {
        end(() -> ended.completeExceptionally(new EngineException(Kind.FAILED, "Session was closed before its end")));
    }

    private void run() {
        try {
            Optional<EngineException> broken = copyOutput(connection, context.decoder(), context.output());
            int code = context.exitCode().exitCode(broken);
            end(() -> ended.complete(code));
        } catch (EngineException e) {
            end(() -> ended.completeExceptionally(e));
        } catch (InterruptedException e) {
            end(() -> ended.completeExceptionally(
                    new EngineException(Kind.FAILED, "Session was interrupted before its end", e)));
        } catch (RuntimeException | Error e) {
            end(() -> ended.completeExceptionally(new EngineException(Kind.FAILED, "Failed to read output: " + e, e)));
        }
    }

    /** Copies a stream to its end. Returns the error that broke the connection, if any. */
    static Optional<EngineException> copyOutput(
            Connection connection, StreamDecoder decoder, StreamDecoder.ProcessOutput output)
            throws EngineException, InterruptedException {
        byte[] piece = new byte[Transport.LARGEST_PIECE];
        try {
            for (int count = connection.read(piece); count >= 0; count = connection.read(piece)) {
                decoder.decode(piece, count, output);
            }
            decoder.end();
            return Optional.empty();
        } catch (IOException e) {
            if (Thread.interrupted()) {
                throw interrupted(e);
            }
            return Optional.of(EngineClient.broken(e));
        }
    }

    /** Ends the session; the first call decides the result. */
    private void end(Runnable completion) {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        connection.close();
        if (Thread.currentThread() != thread) {
            thread.interrupt();
        }
        onEnd.accept(this);
        completion.run();
    }

    private EngineException unwritten(IOException e) throws InterruptedException {
        if (Thread.interrupted()) {
            throw interrupted(e);
        }
        return closed.get()
                ? alreadyEnded()
                : new EngineException(Kind.CONFLICT, "The process no longer reads its input", e);
    }

    private static InterruptedException interrupted(IOException e) {
        return (InterruptedException) new InterruptedException("interrupted while writing to the engine").initCause(e);
    }

    private static EngineException alreadyEnded() {
        return new EngineException(Kind.CONFLICT, "The input is already closed");
    }

    private static EngineException withoutInput() {
        return new EngineException(Kind.REFUSED, "The session was opened without input");
    }
}
