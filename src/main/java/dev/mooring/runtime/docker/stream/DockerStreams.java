package dev.mooring.runtime.docker.stream;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.runtime.ContainerStreams;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.docker.stream.Connection.Request;
import dev.mooring.runtime.docker.stream.StreamSession.Outcome;
import dev.mooring.runtime.docker.stream.StreamSession.Parts;
import dev.mooring.runtime.docker.stream.StreamSession.Terminal;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Logs, processes and attachments of a Docker engine's containers, 20.10 or newer. Makes no connection before it is asked for something.
 *
 * <p>A session takes one thread and one connection until it has ended; {@link #close} ends all of them. {@link Session#ended} fails with an
 * {@link EngineException} and nothing else: also when a process could not be started, which is then {@link Kind#REFUSED} with the engine's words. Any thread.
 */
public final class DockerStreams implements ContainerStreams, AutoCloseable {
    /**
     * The keys by which a terminal is left, which cannot be turned off: nobody types these, and only the first of them, a rare one, is held back by the
     * engine until the next comes. Its own begin with Ctrl-P, which shells use.
     */
    private static final String DETACH_KEYS = "ctrl-^,ctrl-@,ctrl-_,ctrl-@,ctrl-^,ctrl-@,ctrl-_,ctrl-@";

    private final EngineCalls calls;
    private final Set<StreamSession> sessions = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * @param host {@code unix:///path} or {@code tcp://host:port}
     * @param tlsDirectory with ca.pem, cert.pem and key.pem; nothing: without TLS
     * @throws IllegalArgumentException if these cannot be used
     */
    public DockerStreams(String host, Optional<Path> tlsDirectory) {
        this(new EngineCalls(EngineAddress.of(host, tlsDirectory)));
    }

    /** @param timeToAnswer how long the engine may take before something has begun */
    DockerStreams(String host, Duration timeToAnswer) {
        this(new EngineCalls(EngineAddress.of(host, Optional.empty()), timeToAnswer));
    }

    private DockerStreams(EngineCalls calls) {
        this.calls = calls;
    }

    @Override
    public Session logs(String id, LogRequest request, Sink sink) throws EngineException, InterruptedException {
        boolean tty = EngineContainer.of(calls, escaped(id)).tty();
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
        Decoder decoder = tty ? Decoder.raw() : request.timestamps() ? Frames.stamped() : Frames.plain();
        Connection connection = calls.open(Request.get(target.toString()));
        return begin(
                "logs-" + shortened(id),
                connection,
                new Parts(decoder, Output.to(sink), Optional.empty(), Terminal.NONE, Outcome.none()));
    }

    @Override
    public Session exec(String id, ExecRequest request, Sink sink) throws EngineException, InterruptedException {
        Wanted wanted = request.wanted();
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
        ExecProcess process = new ExecProcess(calls, exec, Output.to(sink));
        ObjectNode start =
                JsonNodeFactory.instance.objectNode().put("Detach", false).put("Tty", wanted.tty());
        Connection connection = calls.open(
                Request.post("/exec/" + exec + "/start", start.toString()).upgrading());
        return begin(
                "exec-" + shortened(id),
                connection,
                new Parts(
                        wanted.tty() ? Decoder.raw() : Frames.plain(),
                        process,
                        Optional.of(wanted.tty() ? Input.terminal() : Input.pipe())
                                .filter(input -> wanted.stdin()),
                        wanted.tty() ? process : Terminal.NONE,
                        process));
    }

    @Override
    public Session attach(String id, Wanted wanted, Sink sink) throws EngineException, InterruptedException {
        EngineContainer container = EngineContainer.of(calls, escaped(id));
        container.mustRun();
        String target = "/containers/" + escaped(id) + "/attach?stream=1&stdin=" + digit(wanted.stdin()) + "&stdout="
                + digit(wanted.stdout()) + "&stderr=" + digit(wanted.stderr()) + "&detachKeys=" + escaped(DETACH_KEYS);
        Connection connection = calls.open(Request.post(target).upgrading());
        boolean good = false;
        try {
            EngineContainer.of(calls, escaped(id)).mustRun();
            good = true;
        } finally {
            if (!good) {
                connection.close();
            }
        }
        return begin(
                "attach-" + shortened(id),
                connection,
                new Parts(
                        container.tty() ? Decoder.raw() : Frames.plain(),
                        Output.to(sink),
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

    private Session begin(String name, Connection connection, Parts parts) throws EngineException {
        StreamSession session = new StreamSession(name, connection, parts, sessions::remove);
        sessions.add(session);
        session.start();
        if (closed) {
            session.close();
            throw new EngineException(Kind.UNREACHABLE, "The Docker engine is no longer asked: Mooring ends.");
        }
        return session;
    }

    /** With the fraction, which the engine takes up to nanoseconds; nothing is older than the epoch. */
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
}
