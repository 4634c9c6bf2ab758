package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.ContainerStreams;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.ImageFacts;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@link ContainerRuntime} for Docker 20.10 or newer. Creates a container with one call and starts it with one.
 *
 * <p>Caches nothing about containers except out-of-memory kills: every query goes to the engine. Caches the engine's
 * capabilities, and reads them again with each new event stream, which follows every absence of the engine. Any thread.
 */
public final class DockerRuntime implements ContainerRuntime {
    private static final Logger LOG = LoggerFactory.getLogger(DockerRuntime.class);

    /**
     * The name of a container that is being created is taken before the container can be found; this is the polling
     * interval.
     */
    private static final Duration NAME_CHECK = Duration.ofMillis(20);

    private static final Duration LONGEST_GRACE = Duration.ofDays(365);

    private final DockerSettings settings;
    private final Duration deadline;
    private final CountDownLatch closing = new CountDownLatch(1);
    private Optional<Clients> clients = Optional.empty(); // guarded by this
    private volatile EngineCapabilities engine;

    /** The clients for the engine. */
    private record Clients(
            DockerConnectionPools pools, ContainerStreams streams, DockerImages images, ContainerLister lister) {
        static Clients of(DockerSettings settings) {
            DockerConnectionPools lines = DockerConnectionPools.of(settings);
            return new Clients(
                    lines,
                    new DockerStreams(settings.address(), settings.tlsDirectory()),
                    new DockerImages(lines.queries(), lines.longCalls(), settings.deadline()),
                    new ContainerLister(lines.queries(), lines.threads(), settings.deadline()));
        }
    }

    private DockerRuntime(DockerSettings settings) {
        this.settings = settings;
        this.deadline = settings.deadline();
    }

    /**
     * Creates a runtime. Does not connect: the first call shows whether the engine responds. That call also loads the
     * client classes, which takes a while in a new process; only the TLS files are read here, if there are any.
     *
     * @throws IllegalArgumentException if the TLS files are invalid
     */
    public static DockerRuntime connect(DockerSettings settings) {
        DockerRuntime runtime = new DockerRuntime(settings);
        if (settings.tlsDirectory().isPresent()) {
            runtime.clients = Optional.of(Clients.of(settings));
        }
        return runtime;
    }

    private synchronized Clients clients() throws EngineException {
        if (clients.isEmpty()) {
            if (closing.getCount() == 0) {
                throw DockerErrors.closed(settings.host());
            }
            clients = Optional.of(Clients.of(settings));
        }
        return clients.get();
    }

    private DockerConnectionPools pools() throws EngineException {
        return clients().pools();
    }

    /**
     * Loads the client classes and connects, so that the first calls are as fast as later ones. Never fails: the next
     * call reports an absent engine. Blocks for at most the deadline.
     */
    public void warmUp() throws InterruptedException {
        try {
            refresh();
            pools().changes().ask(DockerRequest.get("/_ping"), deadline);
            pools().longCalls().ask(DockerRequest.get("/_ping"), deadline);
        } catch (EngineException e) {
            LOG.debug("Skipped engine warm-up: {}", e.getMessage());
        }
    }

    /** Returns the architecture in the kernel's naming, such as x86_64. */
    public String architecture() throws EngineException, InterruptedException {
        return engine().architecture();
    }

    @Override
    public ContainerRuntime.EngineInfo info() throws EngineException, InterruptedException {
        refresh();
        return engine().info();
    }

    @Override
    public List<ContainerFacts> list(String instance) throws EngineException, InterruptedException {
        return clients().lister().list(instance);
    }

    @Override
    public Optional<ContainerFacts> inspect(String id) throws EngineException, InterruptedException {
        return clients().lister().inspect(id);
    }

    @Override
    public List<VolumeUser> volumeUsers(String volume) throws EngineException, InterruptedException {
        return clients().lister().volumeUsers(volume);
    }

    @Override
    public OptionalLong pid(String id) throws EngineException, InterruptedException {
        if (!settings.host().startsWith("unix:")) {
            return OptionalLong.empty();
        }
        long number = clients()
                .lister()
                .tree(id)
                .map(each -> each.path("State").path("Pid").asLong(0))
                .orElse(0L);
        return number > 0 ? OptionalLong.of(number) : OptionalLong.empty();
    }

    @Override
    public List<String> podNetworks() throws EngineException, InterruptedException {
        List<String> networks = new ArrayList<>();
        DockerResponse answer = pools().queries().ask(DockerRequest.get("/networks/bridge"), deadline);
        answer.json()
                .path("IPAM")
                .path("Config")
                .forEach(each -> networks.add(each.path("Subnet").asText("")));
        return networks;
    }

    @Override
    public String create(ContainerSpec spec) throws EngineException, InterruptedException {
        DockerRequest.container(spec.name()); // rejects a name that could not be queried later
        DockerRequest call = DockerRequest.post(
                "/containers/create?name=" + DockerRequest.encoded(spec.name()),
                CreateContainerBody.of(spec, engine()));
        DockerResponse answer = pools().changes().ask(call, deadline);
        for (Duration waited = Duration.ZERO;
                isTaken(answer) && waited.compareTo(deadline) < 0;
                waited = waited.plus(NAME_CHECK)) {
            Optional<JsonNode> there = clients().lister().tree(spec.name());
            if (there.isPresent()) {
                return adoptExisting(spec, there.get(), answer);
            }
            if (closing.await(NAME_CHECK.toMillis(), TimeUnit.MILLISECONDS)) {
                break;
            }
            answer = pools().changes().ask(call, deadline);
        }
        return answer.json().path("Id").asText();
    }

    private static boolean isTaken(DockerResponse answer) {
        return answer.is(409) && answer.message().contains("already in use");
    }

    /** Returns the existing container if its labels match. The engine adds the image's labels to a container's. */
    private static String adoptExisting(ContainerSpec spec, JsonNode there, DockerResponse refusal)
            throws EngineException {
        ContainerFacts facts = FactsReader.container(there);
        if (!facts.labels().entrySet().containsAll(spec.labels().entrySet())
                || spec.labels().isEmpty()) {
            throw refusal.failure();
        }
        if (FactsReader.isLeaving(there)) {
            throw new EngineException(Kind.CONFLICT, "container " + facts.name() + " is still being removed");
        }
        return facts.id();
    }

    @Override
    public void start(String id) throws EngineException, InterruptedException {
        DockerResponse answer =
                pools().changes().ask(DockerRequest.post(DockerRequest.container(id) + "/start"), deadline);
        if (answer.is(304)) {
            return;
        }
        if (answer.is(404) && !answer.message().toLowerCase(Locale.ROOT).contains("no such container")) {
            throw new EngineException(
                    Kind.REFUSED, answer.message()); // the container exists, but its command is missing
        }
        answer.requireSuccess();
    }

    @Override
    public void stop(String id, Duration grace) throws EngineException, InterruptedException {
        Duration bounded =
                grace.compareTo(LONGEST_GRACE) > 0 ? LONGEST_GRACE : grace.isNegative() ? Duration.ZERO : grace;
        long seconds = bounded.plusNanos(999_999_999).toSeconds();
        DockerResponse answer = pools().longCalls()
                .ask(
                        DockerRequest.post(DockerRequest.container(id) + "/stop?t=" + seconds),
                        deadline.plusSeconds(seconds));
        if (!answer.is(304) && !answer.is(404)) {
            answer.requireSuccess();
        }
    }

    @Override
    public void remove(String id) throws EngineException, InterruptedException {
        DockerResponse answer =
                pools().changes().ask(DockerRequest.delete(DockerRequest.container(id) + "?force=1&v=1"), deadline);
        if (answer.is(409) && answer.message().contains("already in progress")) {
            DockerResponse gone = pools().longCalls()
                    .ask(DockerRequest.post(DockerRequest.container(id) + "/wait?condition=removed"), deadline);
            if (!gone.is(404)) {
                gone.requireSuccess();
            }
        } else if (!answer.is(404)) {
            answer.requireSuccess();
        }
    }

    @Override
    public Optional<ImageFacts> image(String reference) throws EngineException, InterruptedException {
        return clients().images().image(reference);
    }

    @Override
    public ImageFacts pull(String reference, Optional<Credentials> credentials, PullProgress progress)
            throws EngineException, InterruptedException {
        return clients().images().pull(reference, credentials, progress);
    }

    @Override
    public ImageFacts importImage(String reference, InputStream layer, List<String> entrypoint)
            throws EngineException, InterruptedException {
        return clients().images().importImage(reference, layer, entrypoint);
    }

    @Override
    public AutoCloseable watchEvents(String instance, EventListener follower)
            throws EngineException, InterruptedException {
        DockerResponse before = refresh();
        DockerConnectionPool.OpenResponse stream =
                pools().events().open(DockerEventStream.call(instance, before.date()), deadline);
        if (stream.response().getStatusCode() != 200) {
            try (stream) {
                throw DockerErrors.of(stream.response().getStatusCode(), "");
            }
        }
        DockerEventStream feed =
                new DockerEventStream(stream, settings.host(), clients().lister()::onOutOfMemory, follower);
        feed.begin();
        return feed;
    }

    @Override
    public Session logs(String id, LogRequest request, Sink sink) throws EngineException, InterruptedException {
        return clients().streams().logs(id, request, sink);
    }

    @Override
    public Session exec(String id, ExecRequest request, Sink sink) throws EngineException, InterruptedException {
        return clients().streams().exec(id, request, sink);
    }

    @Override
    public Session attach(String id, StreamSelection wanted, Sink sink) throws EngineException, InterruptedException {
        return clients().streams().attach(id, wanted, sink);
    }

    @Override
    public void close() {
        closing.countDown();
        Optional<Clients> made;
        synchronized (this) {
            made = clients;
        }
        made.ifPresent(DockerRuntime::close);
    }

    private static void close(Clients made) {
        made.pools().close();
        if (made.streams() instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (Exception e) {
                LOG.warn("Failed to close engine streams", e);
            }
        }
    }

    private EngineCapabilities engine() throws EngineException, InterruptedException {
        if (engine == null) {
            refresh();
        }
        return engine;
    }

    private DockerResponse refresh() throws EngineException, InterruptedException {
        DockerResponse answer = pools().queries().ask(DockerRequest.get("/info"), deadline);
        engine = EngineCapabilities.read(answer.json(), answer.apiVersion());
        return answer;
    }
}
