package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.ContainerStreams;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.EngineInfo;
import dev.mooring.runtime.ImageFacts;
import dev.mooring.runtime.docker.stream.DockerStreams;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Docker engine, 20.10 or newer. A container is made with one call and started with one.
 *
 * <p>Nothing is known of containers here: every question goes to the engine. Only what the engine is gets remembered, and is asked again whenever
 * somebody begins to follow, which is what one does after the engine was away. Any thread.
 */
public final class DockerRuntime implements ContainerRuntime {
    private static final Logger LOG = LoggerFactory.getLogger(DockerRuntime.class);

    /** A container that is being made has its name before it can be found: until then there is nothing to wait for but time. */
    private static final Duration NAME_CHECK = Duration.ofMillis(20);

    private static final Duration LONGEST_GRACE = Duration.ofDays(365);

    private final DockerSettings settings;
    private final Duration deadline;
    private final CountDownLatch closing = new CountDownLatch(1);
    private Optional<Means> means = Optional.empty(); // guarded by this
    private volatile EngineTraits engine;

    /** What the engine is asked with. */
    private record Means(EngineLines lines, ContainerStreams streams, Images images, Roll roll) {
        static Means of(DockerSettings settings) {
            EngineLines lines = EngineLines.of(settings);
            return new Means(
                    lines,
                    new DockerStreams(settings.address(), settings.tlsDirectory()),
                    new Images(lines.asking(), lines.waiting(), settings.deadline()),
                    new Roll(lines.asking(), lines.threads(), settings.deadline()));
        }
    }

    private DockerRuntime(DockerSettings settings) {
        this.settings = settings;
        this.deadline = settings.deadline();
    }

    /**
     * Does not connect yet: whether the engine is there shows with the first call. That one also loads what speaks with the engine, which takes a while
     * in a process that has just begun; only the TLS files are looked at here, if there are any.
     *
     * @throws IllegalArgumentException if the TLS files cannot be used
     */
    public static DockerRuntime connect(DockerSettings settings) {
        DockerRuntime runtime = new DockerRuntime(settings);
        if (settings.tlsDirectory().isPresent()) {
            runtime.means = Optional.of(Means.of(settings));
        }
        return runtime;
    }

    private synchronized Means means() throws EngineException {
        if (means.isEmpty()) {
            if (closing.getCount() == 0) {
                throw Failures.closed(settings.host());
            }
            means = Optional.of(Means.of(settings));
        }
        return means.get();
    }

    private EngineLines lines() throws EngineException {
        return means().lines();
    }

    /**
     * Loads what the first calls need and connects, so that they are as fast as later ones. Never fails: an engine that is not there shows with the
     * next call. Blocks, for at most the deadline if the engine does not answer.
     */
    public void warmUp() throws InterruptedException {
        try {
            refresh();
            lines().doing().ask(Call.get("/_ping"), deadline);
            lines().waiting().ask(Call.get("/_ping"), deadline);
        } catch (EngineException e) {
            LOG.debug("The engine is not there to warm up with: {}", e.getMessage());
        }
    }

    /** As the kernel of the engine's machine names it, such as x86_64. */
    public String architecture() throws EngineException, InterruptedException {
        return engine().architecture();
    }

    @Override
    public EngineInfo info() throws EngineException, InterruptedException {
        refresh();
        return engine().info();
    }

    @Override
    public List<ContainerFacts> list(String instance) throws EngineException, InterruptedException {
        return means().roll().call(instance);
    }

    @Override
    public Optional<ContainerFacts> inspect(String id) throws EngineException, InterruptedException {
        return means().roll().tree(id).map(FactsReader::container);
    }

    @Override
    public OptionalLong process(String id) throws EngineException, InterruptedException {
        if (!settings.host().startsWith("unix:")) {
            return OptionalLong.empty();
        }
        long number = means().roll()
                .tree(id)
                .map(each -> each.path("State").path("Pid").asLong(0))
                .orElse(0L);
        return number > 0 ? OptionalLong.of(number) : OptionalLong.empty();
    }

    @Override
    public String create(ContainerSpec spec) throws EngineException, InterruptedException {
        Call.container(spec.name()); // a name that could not be asked for later must not be made
        Call call = Call.post("/containers/create?name=" + Call.encoded(spec.name()), CreateBody.of(spec, engine()));
        Answer answer = lines().doing().ask(call, deadline);
        for (Duration waited = Duration.ZERO;
                isTaken(answer) && waited.compareTo(deadline) < 0;
                waited = waited.plus(NAME_CHECK)) {
            Optional<JsonNode> there = means().roll().tree(spec.name());
            if (there.isPresent()) {
                return adopted(spec, there.get(), answer);
            }
            if (closing.await(NAME_CHECK.toMillis(), TimeUnit.MILLISECONDS)) {
                break;
            }
            answer = lines().doing().ask(call, deadline);
        }
        return answer.json().path("Id").asText();
    }

    private static boolean isTaken(Answer answer) {
        return answer.is(409) && answer.words().contains("already in use");
    }

    /** The engine adds the image's labels to a container's. */
    private static String adopted(ContainerSpec spec, JsonNode there, Answer refusal) throws EngineException {
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
        Answer answer = lines().doing().ask(Call.post(Call.container(id) + "/start"), deadline);
        if (answer.is(304)) {
            return;
        }
        if (answer.is(404) && !answer.words().toLowerCase(Locale.ROOT).contains("no such container")) {
            throw new EngineException(
                    Kind.REFUSED, answer.words()); // not the container is missing, but what it was to run
        }
        answer.orFail();
    }

    @Override
    public void stop(String id, Duration grace) throws EngineException, InterruptedException {
        Duration bounded =
                grace.compareTo(LONGEST_GRACE) > 0 ? LONGEST_GRACE : grace.isNegative() ? Duration.ZERO : grace;
        long seconds = bounded.plusNanos(999_999_999).toSeconds();
        Answer answer = lines().waiting()
                .ask(Call.post(Call.container(id) + "/stop?t=" + seconds), deadline.plusSeconds(seconds));
        if (!answer.is(304) && !answer.is(404)) {
            answer.orFail();
        }
    }

    @Override
    public void remove(String id) throws EngineException, InterruptedException {
        Answer answer = lines().doing().ask(Call.delete(Call.container(id) + "?force=1&v=1"), deadline);
        if (answer.is(409) && answer.words().contains("already in progress")) {
            Answer gone = lines().waiting().ask(Call.post(Call.container(id) + "/wait?condition=removed"), deadline);
            if (!gone.is(404)) {
                gone.orFail();
            }
        } else if (!answer.is(404)) {
            answer.orFail();
        }
    }

    @Override
    public Optional<ImageFacts> image(String reference) throws EngineException, InterruptedException {
        return means().images().image(reference);
    }

    @Override
    public ImageFacts pull(String reference, Optional<Credentials> credentials, PullProgress progress)
            throws EngineException, InterruptedException {
        return means().images().pull(reference, credentials, progress);
    }

    @Override
    public ImageFacts importImage(String reference, InputStream layer, List<String> entrypoint)
            throws EngineException, InterruptedException {
        return means().images().importImage(reference, layer, entrypoint);
    }

    @Override
    public AutoCloseable follow(String instance, Follower follower) throws EngineException, InterruptedException {
        Answer before = refresh();
        EngineLine.Opened stream = lines().following().open(EventFeed.call(instance, before.date()), deadline);
        if (stream.response().getStatusCode() != 200) {
            try (stream) {
                throw Failures.of(stream.response().getStatusCode(), "");
            }
        }
        EventFeed feed = new EventFeed(stream, settings.host(), follower);
        feed.begin();
        return feed;
    }

    @Override
    public Session logs(String id, LogRequest request, Sink sink) throws EngineException, InterruptedException {
        return means().streams().logs(id, request, sink);
    }

    @Override
    public Session exec(String id, ExecRequest request, Sink sink) throws EngineException, InterruptedException {
        return means().streams().exec(id, request, sink);
    }

    @Override
    public Session attach(String id, Wanted wanted, Sink sink) throws EngineException, InterruptedException {
        return means().streams().attach(id, wanted, sink);
    }

    @Override
    public void close() {
        closing.countDown();
        Optional<Means> made;
        synchronized (this) {
            made = means;
        }
        made.ifPresent(DockerRuntime::close);
    }

    private static void close(Means made) {
        made.lines().close();
        if (made.streams() instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (Exception e) {
                LOG.warn("Expected to close the engine's streams, but could not", e);
            }
        }
    }

    private EngineTraits engine() throws EngineException, InterruptedException {
        if (engine == null) {
            refresh();
        }
        return engine;
    }

    private Answer refresh() throws EngineException, InterruptedException {
        Answer answer = lines().asking().ask(Call.get("/info"), deadline);
        engine = EngineTraits.read(answer.json(), answer.apiVersion());
        return answer;
    }
}
