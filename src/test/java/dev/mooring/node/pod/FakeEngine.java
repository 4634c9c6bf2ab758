package dev.mooring.node.pod;

import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.EngineInfo;
import dev.mooring.runtime.ImageFacts;
import dev.mooring.runtime.Labels;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * An engine in memory. It survives processes, does at once what it is asked for unless it is meant to fail, and finds what must never happen: a
 * container that is started on what is not mounted, two that run for one.
 */
final class FakeEngine implements ContainerRuntime {
    private static final class Made {
        private final ContainerSpec spec;
        private ContainerFacts facts;

        private Made(ContainerSpec spec, ContainerFacts facts) {
            this.spec = spec;
            this.facts = facts;
        }
    }

    final List<String> faults = new ArrayList<>();
    final List<String> did = new ArrayList<>();
    /** What it would tell whoever follows. */
    final Deque<String> news = new ArrayDeque<>();

    final Set<String> images = new HashSet<>(Set.of("busybox", "pause"));
    boolean down;

    private final Supplier<Instant> clock;
    private final Predicate<String> isMounted;
    private final Map<String, Made> containers = new LinkedHashMap<>();
    private final Map<String, Deque<EngineException>> failures = new LinkedHashMap<>();
    private int ids;

    /** @param isMounted whether something is mounted at a path that is below a Pod's volumes */
    FakeEngine(Supplier<Instant> clock, Predicate<String> isMounted) {
        this.clock = clock;
        this.isMounted = isMounted;
    }

    void fails(String call, Kind kind) {
        failures.computeIfAbsent(call, unused -> new ArrayDeque<>()).add(new EngineException(kind, "meant to fail"));
    }

    void forgive() {
        failures.clear();
        down = false;
    }

    /** Everything it runs ends, as when the machine goes down. */
    void endAll() {
        containers.keySet().forEach(id -> exit(id, 137));
    }

    /** A container ends by itself. */
    void exit(String id, int code) {
        Made made = containers.get(id);
        if (made != null && made.facts.isLive()) {
            made.facts = with(made.facts, State.EXITED, made.facts.started(), Optional.of(clock.get()), code);
            news.add(id);
        }
    }

    List<ContainerFacts> all() {
        return containers.values().stream().map(each -> each.facts).toList();
    }

    List<ContainerFacts> live() {
        return all().stream().filter(ContainerFacts::isLive).toList();
    }

    /** Whether a container that runs has something of this path. */
    boolean uses(String path) {
        return containers.values().stream()
                .filter(each -> each.facts.isLive())
                .flatMap(each -> each.spec.binds().stream())
                .anyMatch(each -> each.source().toString().equals(path));
    }

    private void called(String call) throws EngineException {
        if (down) {
            throw new EngineException(Kind.UNREACHABLE, "nobody answers");
        }
        Deque<EngineException> meant = failures.get(call);
        if (meant != null && !meant.isEmpty()) {
            throw meant.poll();
        }
    }

    @Override
    public EngineInfo info() throws EngineException {
        called("info");
        return new EngineInfo("fake", "1", "1.41", "memory");
    }

    @Override
    public List<ContainerFacts> list(String instance) throws EngineException {
        called("list");
        return all();
    }

    @Override
    public Optional<ContainerFacts> inspect(String id) throws EngineException {
        called("inspect");
        return Optional.ofNullable(containers.get(id)).map(each -> each.facts);
    }

    @Override
    public String create(ContainerSpec spec) throws EngineException {
        called("create");
        for (Made each : containers.values()) {
            if (each.facts.name().equals(spec.name())) {
                return each.facts.id();
            }
        }
        String id = "id-" + ids++;
        containers.put(
                id,
                new Made(
                        spec,
                        new ContainerFacts(
                                id,
                                spec.name(),
                                spec.image(),
                                "sha256:1",
                                spec.labels(),
                                State.CREATED,
                                clock.get(),
                                Optional.empty(),
                                Optional.empty(),
                                0,
                                false,
                                "",
                                "")));
        did.add("create " + spec.name());
        news.add(id);
        called("create afterwards");
        return id;
    }

    @Override
    public void start(String id) throws EngineException {
        called("start");
        Made made = require(id);
        if (made.facts.isLive()) {
            return;
        }
        if (made.spec.surroundings() instanceof ContainerSpec.Joined joined
                && live().stream().noneMatch(each -> each.name().equals(joined.sandbox()))) {
            throw new EngineException(Kind.CONFLICT, "cannot join network of a non running container");
        }
        check(made);
        made.facts = with(made.facts, State.RUNNING, Optional.of(clock.get()), Optional.empty(), 0);
        did.add("start " + made.facts.name());
        news.add(id);
        called("start afterwards");
    }

    private void check(Made made) {
        made.spec.binds().forEach(each -> {
            String path = each.source().toString();
            if (path.contains("/volumes/") && !isMounted.test(path)) {
                faults.add(made.facts.name() + " is started on " + path + ", which is not mounted");
            }
        });
        Labels.Of whose = made.facts.whose();
        for (ContainerFacts other : live()) {
            Labels.Of theirs = other.whose();
            if (theirs.podUid().equals(whose.podUid())
                    && theirs.role() == whose.role()
                    && theirs.container().equals(whose.container())) {
                faults.add(made.facts.name() + " is started beside " + other.name());
            }
        }
    }

    @Override
    public void stop(String id, Duration grace) throws EngineException {
        called("stop");
        did.add("stop " + (containers.containsKey(id) ? containers.get(id).facts.name() : id));
        exit(id, 143);
    }

    @Override
    public void remove(String id) throws EngineException {
        called("remove");
        Made made = containers.remove(id);
        if (made != null) {
            did.add("remove " + made.facts.name());
            news.add(id);
        }
    }

    private Made require(String id) throws EngineException {
        Made made = containers.get(id);
        if (made == null) {
            throw new EngineException(Kind.NOT_FOUND, "No such container: " + id);
        }
        return made;
    }

    private static ContainerFacts with(
            ContainerFacts was, State state, Optional<Instant> started, Optional<Instant> finished, int exit) {
        boolean address = state == State.RUNNING && was.whose().role() == Labels.Role.SANDBOX;
        return new ContainerFacts(
                was.id(),
                was.name(),
                was.image(),
                was.imageId(),
                was.labels(),
                state,
                was.created(),
                started,
                finished,
                exit,
                false,
                "",
                address ? "10.0.0.2" : "");
    }

    @Override
    public Optional<ImageFacts> image(String reference) throws EngineException {
        called("image");
        return images.contains(reference) || images.contains(reference.replace(":latest", ""))
                ? Optional.of(new ImageFacts("sha256:1", List.of(), 1, ""))
                : Optional.empty();
    }

    @Override
    public ImageFacts pull(String reference, Optional<Credentials> credentials, PullProgress progress)
            throws EngineException {
        called("pull");
        throw new EngineException(Kind.NOT_FOUND, "no registry here");
    }

    @Override
    public ImageFacts importImage(String reference, InputStream layer, List<String> entrypoint) {
        throw new UnsupportedOperationException("nobody asks for it here");
    }

    @Override
    public AutoCloseable follow(String instance, Follower follower) {
        throw new UnsupportedOperationException("whoever drives this takes the news");
    }

    @Override
    public Session logs(String id, LogRequest request, Sink sink) throws EngineException {
        throw new EngineException(Kind.FAILED, "nothing was written");
    }

    @Override
    public Session exec(String id, ExecRequest request, Sink sink) throws EngineException {
        throw new EngineException(Kind.FAILED, "nothing can be run");
    }

    @Override
    public Session attach(String id, Wanted wanted, Sink sink) throws EngineException {
        throw new EngineException(Kind.FAILED, "nobody listens");
    }

    @Override
    public void close() {}
}
