package dev.mooring.runtime.docker.stream;

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
 * A connection whose output a thread of its own hands to a sink, piece by piece: while the sink blocks nothing is read, and the engine holds back the process.
 *
 * <p>It ends once: by its end, by a failure, by a sink that throws, or by {@link #close}, which does not wait for the sink but interrupts it. The connection
 * is closed before {@link #ended} completes. Any thread.
 */
final class StreamSession implements Session {
    private final Connection connection;
    private final Parts parts;
    private final Consumer<StreamSession> afterwards;
    private final CompletableFuture<Integer> ended = new CompletableFuture<>();
    private final ReentrantLock writing = new ReentrantLock();
    private final AtomicBoolean over = new AtomicBoolean();
    private final Thread thread;
    private boolean inputEnded;

    /** What differs between logs, processes and containers. */
    record Parts(Decoder decoder, Output output, Optional<Input> input, Terminal terminal, Outcome outcome) {}

    /** How the thing came out. */
    interface Outcome {
        /**
         * @param broken nothing: the output has ended as it should
         * @return the exit code
         */
        int find(Optional<EngineException> broken) throws EngineException, InterruptedException;

        /** Of what has none. */
        static Outcome none() {
            return broken -> {
                if (broken.isPresent()) {
                    throw broken.get();
                }
                return 0;
            };
        }
    }

    /** Whose size can be changed. */
    interface Terminal {
        Terminal NONE = (columns, rows) -> {};

        void resize(int columns, int rows) throws EngineException, InterruptedException;
    }

    /** @param afterwards is run once, when it has ended */
    StreamSession(String name, Connection connection, Parts parts, Consumer<StreamSession> afterwards) {
        this.connection = connection;
        this.parts = parts;
        this.afterwards = afterwards;
        this.thread = new Thread(this::run, "mooring-stream-" + name);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    @Override
    public void input(byte[] bytes) throws EngineException, InterruptedException {
        Input input = parts.input().orElseThrow(StreamSession::withoutInput);
        writing.lockInterruptibly();
        try {
            if (inputEnded || over.get()) {
                throw overAlready();
            }
            input.write(connection, bytes);
        } catch (IOException e) {
            throw unwritten(e);
        } finally {
            writing.unlock();
        }
    }

    @Override
    public void endInput() throws EngineException, InterruptedException {
        Input input = parts.input().orElseThrow(StreamSession::withoutInput);
        writing.lockInterruptibly();
        try {
            if (!inputEnded && !over.get()) {
                inputEnded = true;
                input.end(connection);
            }
        } catch (IOException e) {
            if (Thread.interrupted()) {
                throw interrupted(e);
            }
            // Whoever would have read it has gone; what became of it is told at the end.
        } finally {
            writing.unlock();
        }
    }

    @Override
    public void resize(int columns, int rows) throws EngineException, InterruptedException {
        try {
            if (!over.get()) {
                parts.terminal().resize(columns, rows);
            }
        } catch (EngineException e) {
            if (!over.get()) {
                throw e;
            }
        }
    }

    @Override
    public CompletionStage<Integer> ended() {
        return ended.minimalCompletionStage();
    }

    @Override
    public void close() {
        end(() -> ended.completeExceptionally(new EngineException(Kind.FAILED, "It was closed before its end.")));
    }

    private void run() {
        try {
            Optional<EngineException> broken = pump();
            int code = parts.outcome().find(broken);
            end(() -> ended.complete(code));
        } catch (EngineException e) {
            end(() -> ended.completeExceptionally(e));
        } catch (InterruptedException e) {
            end(() -> ended.completeExceptionally(
                    new EngineException(Kind.FAILED, "It was interrupted before its end.", e)));
        } catch (RuntimeException | Error e) {
            end(() -> ended.completeExceptionally(new EngineException(Kind.FAILED, "Reading it failed: " + e, e)));
        }
    }

    /** Answers with what broke the connection, if that is how it ended. */
    private Optional<EngineException> pump() throws EngineException, InterruptedException {
        byte[] piece = new byte[Wire.LARGEST_PIECE];
        try {
            for (int count = connection.read(piece); count >= 0; count = connection.read(piece)) {
                parts.decoder().decode(piece, count, parts.output());
            }
            parts.decoder().end();
            return Optional.empty();
        } catch (IOException e) {
            if (Thread.interrupted()) {
                throw interrupted(e);
            }
            return Optional.of(EngineCalls.broken(e));
        }
    }

    /** Whoever comes first decides how it ended. */
    private void end(Runnable completion) {
        if (!over.compareAndSet(false, true)) {
            return;
        }
        connection.close();
        if (Thread.currentThread() != thread) {
            thread.interrupt();
        }
        afterwards.accept(this);
        completion.run();
    }

    private EngineException unwritten(IOException e) throws InterruptedException {
        if (Thread.interrupted()) {
            throw interrupted(e);
        }
        return over.get() ? overAlready() : new EngineException(Kind.CONFLICT, "Nobody reads the input any more.", e);
    }

    private static InterruptedException interrupted(IOException e) {
        return (InterruptedException)
                new InterruptedException("interrupted while the engine was spoken to").initCause(e);
    }

    private static EngineException overAlready() {
        return new EngineException(Kind.CONFLICT, "The input has ended already.");
    }

    private static EngineException withoutInput() {
        return new EngineException(Kind.REFUSED, "Expected input only where it was asked for, but it was not.");
    }
}
