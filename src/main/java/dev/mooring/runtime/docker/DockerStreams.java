package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.runtime.ContainerStreams;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.docker.Connection.Request;
import dev.mooring.runtime.docker.FrameDecoder.Timestamps;
import dev.mooring.runtime.docker.StreamSession.ExitCodeSource;
import dev.mooring.runtime.docker.StreamSession.ResizableTerminal;
import dev.mooring.runtime.docker.StreamSession.SessionContext;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Logs, exec and attach streams of containers, for Docker 20.10 or newer. Connects on demand.
 *
 * <p>A session holds one thread and one connection until it has ended; {@link #close} ends all sessions.
 * {@link Session#exitCode} only fails with an {@link EngineException}; if a process could not be started, it is
 * {@link Kind#REFUSED} with the engine's message. Any thread.
 */
public final class DockerStreams implements ContainerStreams, AutoCloseable {
    /**
     * The detach keys, which cannot be disabled. This sequence is never typed, and the engine delays only its first,
     * rare key until the next one arrives. The default begins with Ctrl-P, which shells use.
     */
    private static final String DETACH_KEYS = "ctrl-^,ctrl-@,ctrl-_,ctrl-@,ctrl-^,ctrl-@,ctrl-_,ctrl-@";

    private final EngineClient calls;
    private final Set<StreamSession> sessions = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * Creates the streams.
     *
     * @param host {@code unix:///path} or {@code tcp://host:port}
     * @param tlsDirectory with ca.pem, cert.pem and key.pem; empty: without TLS
     * @throws IllegalArgumentException if these are invalid
     */
    public DockerStreams(String host, Optional<Path> tlsDirectory) {
        this(new EngineClient(EngineAddress.of(host, tlsDirectory)));
    }

    /**
     * Creates the streams.
     *
     * @param timeToAnswer timeout of the engine's response head
     */
    DockerStreams(String host, Duration timeToAnswer) {
        this(new EngineClient(EngineAddress.of(host, Optional.empty()), timeToAnswer));
    }

    private DockerStreams(EngineClient calls) {
        this.calls = calls;
    }

    @Override
    public Session logs(String id, LogRequest request, Sink sink) throws EngineException, InterruptedException {
        StreamDecoder.ProcessOutput output = StreamDecoder.ProcessOutput.to(sink);
        if (EngineContainer.of(calls, escaped(id)).tty()) {
            return beginLogs(id, request, StreamDecoder.raw(), output, ExitCodeSource.none());
        }
        if (!request.follow()) {
            return beginLogs(
                    id, request, new FrameDecoder(shown(request, Timestamps.NONE)), output, ExitCodeSource.none());
        }
        FrameDecoder decoder = new FrameDecoder(shown(request, Timestamps.REMOVED));
        LogRequest withTimes = new LogRequest(request.since(), request.tail(), true, true);
        return beginLogs(id, withTimes, decoder, output, broken -> {
            if (broken.isPresent()) {
                throw broken.get();
            }
            readRemainder(id, withTimes, decoder, output);
            return 0;
        });
    }

    private static Timestamps shown(LogRequest request, Timestamps otherwise) {
        return request.timestamps() ? Timestamps.KEPT : otherwise;
    }

    private Session beginLogs(
            String id,
            LogRequest request,
            StreamDecoder decoder,
            StreamDecoder.ProcessOutput output,
            ExitCodeSource exitCode)
            throws EngineException, InterruptedException {
        return begin(
                "logs-" + shortened(id),
                calls.open(Request.get(logs(id, request))),
                new SessionContext(decoder, output, Optional.empty(), ResizableTerminal.NONE, exitCode));
    }

    /**
     * Reads the end of a followed log. When a container exits, Docker (20.10 at least) may end the stream before it has
     * sent all lines. Not for containers with a terminal, whose entries cannot be told apart.
     */
    private void readRemainder(String id, LogRequest request, FrameDecoder decoder, StreamDecoder.ProcessOutput output)
            throws EngineException, InterruptedException {
        Optional<Instant> since = decoder.delivered().since();
        if (since.isEmpty() && decoder.hasDelivered()) {
            return; // output without times cannot be continued
        }
        decoder.skipEntries(decoder.delivered().count());
        LogRequest remainder = since.isPresent()
                ? new LogRequest(since, OptionalInt.empty(), false, true)
                : new LogRequest(request.since(), request.tail(), false, true);
        try (Connection connection = calls.open(Request.get(logs(id, remainder)))) {
            Optional<EngineException> broken = StreamSession.copyOutput(connection, decoder, output);
            if (broken.isPresent()) {
                throw broken.get();
            }
        } catch (EngineException e) {
            // A container that was removed meanwhile has no more log.
            if (e.kind() != Kind.NOT_FOUND && e.kind() != Kind.CONFLICT) {
                throw e;
            }
        }
    }

    private static String logs(String id, LogRequest request) {
        StringBuilder target = new StringBuilder("/containers/")
                .append(escaped(id))
                .append("/logs?stdout=1&stderr=1&follow=")
                .append(digit(request.follow()))
                .append("&timestamps=")
                .append(digit(request.timestamps()));
        request.since()
                .map(DockerStreams::seconds)
                .ifPresent(since -> target.append("&since=").append(since));
        request.tail().ifPresent(lines -> target.append("&tail=").append(lines));
        return target.toString();
    }

    @Override
    public Session exec(String id, ExecRequest request, Sink sink) throws EngineException, InterruptedException {
        StreamSelection wanted = request.streams();
        ObjectNode create = JsonNodeFactory.instance
                .objectNode()
                .put("AttachStdin", wanted.stdin())
                .put("AttachStdout", wanted.stdout())
                .put("AttachStderr", wanted.stderr() && !wanted.tty())
                .put("Tty", wanted.tty())
                .put("DetachKeys", DETACH_KEYS);
        request.command().forEach(create.putArray("Cmd")::add);
        String exec = escaped(calls.call(Request.post("/containers/" + escaped(id) + "/exec", create.toString()))
                .path("Id")
                .asText());
        ExecProcess process = new ExecProcess(calls, exec, StreamDecoder.ProcessOutput.to(sink));
        ObjectNode start =
                JsonNodeFactory.instance.objectNode().put("Detach", false).put("Tty", wanted.tty());
        Connection connection = calls.open(
                Request.post("/exec/" + exec + "/start", start.toString()).upgrading());
        return begin(
                "exec-" + shortened(id),
                connection,
                new SessionContext(
                        wanted.tty() ? StreamDecoder.raw() : FrameDecoder.plain(),
                        process,
                        Optional.of(wanted.tty() ? ProcessInput.terminal() : ProcessInput.pipe())
                                .filter(input -> wanted.stdin()),
                        wanted.tty() ? process : ResizableTerminal.NONE,
                        process));
    }

    @Override
    public Session attach(String id, StreamSelection wanted, Sink sink) throws EngineException, InterruptedException {
        EngineContainer container = EngineContainer.of(calls, escaped(id));
        container.requireRunning();
        String target = "/containers/" + escaped(id) + "/attach?stream=1&stdin=" + digit(wanted.stdin()) + "&stdout="
                + digit(wanted.stdout()) + "&stderr=" + digit(wanted.stderr()) + "&detachKeys=" + escaped(DETACH_KEYS);
        Connection connection = calls.open(Request.post(target).upgrading());
        boolean good = false;
        try {
            EngineContainer.of(calls, escaped(id)).requireRunning();
            good = true;
        } finally {
            if (!good) {
                connection.close();
            }
        }
        return begin(
                "attach-" + shortened(id),
                connection,
                new SessionContext(
                        container.tty() ? StreamDecoder.raw() : FrameDecoder.plain(),
                        StreamDecoder.ProcessOutput.to(sink),
                        Optional.of(container.input()).filter(input -> wanted.stdin()),
                        container,
                        container));
    }

    @Override
    public void close() {
        closed = true;
        sessions.forEach(StreamSession::close);
        calls.close();
    }

    private Session begin(String name, Connection connection, SessionContext context) throws EngineException {
        StreamSession session = new StreamSession(name, connection, context, sessions::remove);
        sessions.add(session);
        session.start();
        if (closed) {
            session.close();
            throw new EngineException(Kind.UNREACHABLE, "Cannot open a stream: Mooring is shutting down");
        }
        return session;
    }

    /**
     * Formats a time with its fraction, which the engine accepts up to nanoseconds; nothing is older than the epoch.
     */
    private static String seconds(Instant since) {
        return since.getEpochSecond() < 0 ? "0" : "%d.%09d".formatted(since.getEpochSecond(), since.getNano());
    }

    private static int digit(boolean set) {
        return set ? 1 : 0;
    }

    private static String escaped(String id) {
        return URLEncoder.encode(id, StandardCharsets.UTF_8);
    }

    private static String shortened(String id) {
        return id.substring(0, Math.min(12, id.length()));
    }

    /** An inspected container: its configuration and its state. */
    private record EngineContainer(EngineClient calls, String id, JsonNode facts)
            implements StreamSession.ExitCodeSource, StreamSession.ResizableTerminal {
        /**
         * Inspects a container.
         *
         * @param id escaped for a path
         */
        static EngineContainer of(EngineClient calls, String id) throws EngineException, InterruptedException {
            return new EngineContainer(calls, id, calls.call(Request.get("/containers/" + id + "/json")));
        }

        boolean tty() {
            return facts.path("Config").path("Tty").asBoolean();
        }

        ProcessInput input() {
            JsonNode config = facts.path("Config");
            if (!config.path("OpenStdin").asBoolean()) {
                return ProcessInput.dropped();
            } else if (tty()) {
                return ProcessInput.terminal();
            }
            return config.path("StdinOnce").asBoolean() ? ProcessInput.pipe() : ProcessInput.lastingPipe();
        }

        /**
         * Requires that the container runs: the engine would let an attach to a stopped one wait for the next start.
         */
        void requireRunning() throws EngineException {
            if (!facts.path("State").path("Running").asBoolean()) {
                throw new EngineException(
                        Kind.CONFLICT, "Container " + facts.path("Id").asText(id) + " is not running");
            }
        }

        /** Distinguishes the end of the container from the end of the engine, which look the same on the connection. */
        @Override
        public int exitCode(Optional<EngineException> broken) throws EngineException, InterruptedException {
            boolean running;
            try {
                running = of(calls, id).facts.path("State").path("Running").asBoolean();
            } catch (EngineException e) {
                if (e.kind() != Kind.NOT_FOUND) {
                    throw e;
                }
                running = false;
            }
            if (running && broken.isPresent()) {
                throw broken.get();
            }
            return 0;
        }

        @Override
        public void resize(int columns, int rows) throws EngineException, InterruptedException {
            if (tty()) {
                calls.call(Request.post("/containers/" + id + "/resize?h=" + rows + "&w=" + columns));
            }
        }
    }
}
