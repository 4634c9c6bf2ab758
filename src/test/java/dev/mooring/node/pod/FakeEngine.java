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
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * An engine in memory. It survives processes, does at once what it is asked for unless it is meant to fail, and finds what must never happen: a
 * container that is started on what is not mounted or for a Pod that is not to run, two that run for one, one more of what has ended for good.
 * What cannot be started says so afterwards, as Docker's containers do.
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

    /** Calls that fail until somebody repairs it. */
    final Set<String> broken = new HashSet<>();
    /** Containers that end as soon as they begin, by their names in their Pods, and how. */
    final Map<String, Integer> endsAtOnce = new HashMap<>();
    /** What happens while the next call of that name is under way. */
    final Map<String, Runnable> during = new HashMap<>();
    /** What every container has written. */
    String log = "";
    /** How what is run in a container ends. */
    int execExit;
    /** How often what was called. */
    final Map<String, Integer> calls = new TreeMap<>();
    /** Whether a Pod may have something started. */
    Predicate<String> mayBegin = uid -> true;
    /** Whether what has ended like this is never to run again. */
    BiPredicate<ContainerFacts, Integer> isOver = (facts, exit) -> false;

    private final Map<String, Integer> ends = new HashMap<>();
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
        broken.clear();
        down = false;
    }

    int calls(String call) {
        return calls.getOrDefault(call, 0);
    }

    /** Somebody takes a container away. */
    void removedByHand(String id) {
        Made made = containers.remove(id);
        if (made != null) {
            ends.remove(whose(made.facts));
            news.add(id);
        }
    }

    /** Somebody starts a container that has ended. */
    void startedByHand(String id) {
        Made made = containers.get(id);
        made.facts = with(made.facts, State.RUNNING, Optional.of(clock.get()), Optional.empty(), 0, "");
        news.add(id);
    }

    private static String whose(ContainerFacts facts) {
        return facts.whose().podUid() + '/' + facts.whose().container();
    }

    /** Everything it runs ends, as when the machine goes down. */
    void endAll() {
        containers.keySet().forEach(id -> exit(id, 137));
    }

    /** A container ends by itself. */
    void exit(String id, int code) {
        Made made = containers.get(id);
        if (made != null && made.facts.isLive()) {
            made.facts = with(made.facts, State.EXITED, made.facts.started(), Optional.of(clock.get()), code, "");
            ends.put(whose(made.facts), code);
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
        calls.merge(call, 1, Integer::sum);
        Runnable meanwhile = during.remove(call);
        if (meanwhile != null) {
            meanwhile.run();
        }
        if (down) {
            throw new EngineException(Kind.UNREACHABLE, "nobody answers");
        }
        if (broken.contains(call)) {
            throw new EngineException(Kind.FAILED, "it is broken");
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
                if (!each.facts.labels().equals(spec.labels())) {
                    throw new EngineException(Kind.CONFLICT, "The container name is already in use");
                }
                return each.facts.id();
            }
        }
        if (!images.contains(spec.image().replace("sha256:", ""))) {
            throw new EngineException(Kind.NOT_FOUND, "No such image: " + spec.image());
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
                                spec.image(),
                                spec.labels(),
                                State.CREATED,
                                clock.get().plusNanos(ids),
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
        Made made = require(id);
        boolean wanted = mayBegin.test(made.facts.whose().podUid());
        try {
            called("start");
        } catch (EngineException e) {
            cannotStart(made, e);
            throw e;
        }
        if (made.facts.isLive()) {
            return;
        }
        if (made.spec.surroundings() instanceof ContainerSpec.Joined joined
                && live().stream().noneMatch(each -> each.name().equals(joined.sandbox()))) {
            EngineException why = new EngineException(Kind.CONFLICT, "cannot join network of a non running container");
            cannotStart(made, why);
            throw why;
        }
        if (!wanted) {
            faults.add(made.facts.name() + " is started for a Pod that is not to run");
        }
        check(made);
        ends.remove(whose(made.facts));
        made.facts = with(made.facts, State.RUNNING, Optional.of(clock.get()), Optional.empty(), 0, "");
        did.add("start " + made.facts.name());
        news.add(id);
        Integer end = endsAtOnce.get(made.facts.whose().container());
        if (end != null) {
            exit(id, end);
        }
        called("start afterwards");
    }

    private void cannotStart(Made made, EngineException why) {
        if (!why.isAbsence() && made.facts.state() == State.CREATED) {
            made.facts = with(made.facts, State.CREATED, Optional.empty(), Optional.empty(), 128, why.getMessage());
            news.add(made.facts.id());
        }
    }

    private void check(Made made) {
        made.spec.binds().forEach(each -> {
            String path = each.source().toString();
            if (path.contains("/volumes/") && !isMounted.test(path)) {
                faults.add(made.facts.name() + " is started on " + path + ", which is not mounted");
            }
        });
        Labels.Of whose = made.facts.whose();
        if (ends.containsKey(whose(made.facts)) && isOver.test(made.facts, ends.get(whose(made.facts)))) {
            faults.add(made.facts.name() + " is started although it had ended for good");
        }
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
            ContainerFacts was,
            State state,
            Optional<Instant> started,
            Optional<Instant> finished,
            int exit,
            String error) {
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
                error,
                address ? "10.0.0.2" : "");
    }

    @Override
    public Optional<ImageFacts> image(String reference) throws EngineException {
        called("image");
        String name = reference.replace("docker.io/library/", "").replace(":latest", "");
        return images.contains(name)
                ? Optional.of(new ImageFacts("sha256:" + name, List.of(), 1, ""))
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
        called("logs");
        try {
            sink.output(Channel.STDOUT, log.getBytes(StandardCharsets.UTF_8));
        } catch (IOException | InterruptedException e) {
            throw new EngineException(Kind.FAILED, "nobody listens", e);
        }
        return new EndedSession(0);
    }

    @Override
    public Session exec(String id, ExecRequest request, Sink sink) throws EngineException {
        called("exec");
        did.add("exec " + require(id).facts.name() + ' ' + String.join(" ", request.command()));
        return new EndedSession(execExit);
    }

    @Override
    public Session attach(String id, Wanted wanted, Sink sink) throws EngineException {
        throw new EngineException(Kind.FAILED, "nobody listens");
    }

    @Override
    public void close() {}
}
