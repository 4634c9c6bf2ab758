package dev.mooring.node.pods;

import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.ImageFacts;
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
 * A container engine in memory, which survives restarts of the node's process. Calls take effect at once, unless they
 * are meant to fail. Records violations: a container started without its volumes mounted, for a Pod that must not run,
 * twice, or after it has ended for good. A container that cannot be started has an error afterwards, as with Docker.
 */
final class FakeContainerRuntime implements ContainerRuntime {
    private static final class FakeContainer {
        private final ContainerSpec spec;
        private ContainerFacts facts;

        private FakeContainer(ContainerSpec spec, ContainerFacts facts) {
            this.spec = spec;
            this.facts = facts;
        }
    }

    final List<String> violations = new ArrayList<>();
    final List<String> calledActions = new ArrayList<>();
    /** Ids of containers with events that were not delivered yet. */
    final Deque<String> pendingEvents = new ArrayDeque<>();

    final Set<String> images = new HashSet<>(Set.of("busybox", "pause"));
    boolean down;

    /** Calls that fail until they are removed from this set. */
    final Set<String> broken = new HashSet<>();
    /** Exit codes of containers that exit as soon as they start, by container name. */
    final Map<String, Integer> exitsImmediately = new HashMap<>();
    /** Actions that run during the next call of that name. */
    final Map<String, Runnable> during = new HashMap<>();
    /** The log of every container. */
    String log = "";
    /** Exit code of commands run in a container. */
    int execExit;
    /** Number of calls by name. */
    final Map<String, Integer> calls = new TreeMap<>();
    /** Returns whether containers of a Pod may be started. */
    Predicate<String> mayStart = uid -> true;
    /** Returns whether a container that ended with this code must not run again. */
    BiPredicate<ContainerFacts, Integer> isFinal = (facts, exit) -> false;

    private final Map<String, Integer> exitCodes = new HashMap<>();
    private final Supplier<Instant> clock;
    private final Predicate<String> isMounted;
    private final Map<String, FakeContainer> containers = new LinkedHashMap<>();
    private final Map<String, Deque<EngineException>> failures = new LinkedHashMap<>();
    private int ids;

    /** @param isMounted whether something is mounted at a path that is below a Pod's volumes */
    FakeContainerRuntime(Supplier<Instant> clock, Predicate<String> isMounted) {
        this.clock = clock;
        this.isMounted = isMounted;
    }

    void fails(String call, Kind kind) {
        failures.computeIfAbsent(call, unused -> new ArrayDeque<>()).add(new EngineException(kind, "meant to fail"));
    }

    void clearFailures() {
        failures.clear();
        broken.clear();
        down = false;
    }

    int calls(String call) {
        return calls.getOrDefault(call, 0);
    }

    /** Removes a container as a user of the engine does. */
    void removeExternally(String id) {
        FakeContainer container = containers.remove(id);
        if (container != null) {
            exitCodes.remove(podUid(container.facts));
            pendingEvents.add(id);
        }
    }

    /** Starts an ended container as a user of the engine does. */
    void startExternally(String id) {
        FakeContainer container = containers.get(id);
        container.facts = with(container.facts, State.RUNNING, Optional.of(clock.get()), Optional.empty(), 0, "");
        pendingEvents.add(id);
    }

    private static String podUid(ContainerFacts facts) {
        return facts.identity().podUid() + '/' + facts.identity().container();
    }

    /** Ends all containers, as a shutdown of the machine does. */
    void endAll() {
        containers.keySet().forEach(id -> exit(id, 137));
    }

    /** Ends a container as if its process had exited. */
    void exit(String id, int code) {
        FakeContainer container = containers.get(id);
        if (container != null && container.facts.isLive()) {
            container.facts =
                    with(container.facts, State.EXITED, container.facts.started(), Optional.of(clock.get()), code, "");
            exitCodes.put(podUid(container.facts), code);
            pendingEvents.add(id);
        }
    }

    List<ContainerFacts> all() {
        return containers.values().stream().map(each -> each.facts).toList();
    }

    List<ContainerFacts> live() {
        return all().stream().filter(ContainerFacts::isLive).toList();
    }

    /** Returns whether a running container has this path mounted. */
    boolean uses(String path) {
        return containers.values().stream()
                .filter(each -> each.facts.isLive())
                .flatMap(each -> each.spec.binds().stream())
                .anyMatch(each -> each.source().toString().equals(path));
    }

    private void recordCall(String call) throws EngineException {
        calls.merge(call, 1, Integer::sum);
        Runnable action = during.remove(call);
        if (action != null) {
            action.run();
        }
        if (down) {
            throw new EngineException(Kind.UNREACHABLE, "connection refused");
        }
        if (broken.contains(call)) {
            throw new EngineException(Kind.FAILED, "call is broken");
        }
        Deque<EngineException> scheduled = failures.get(call);
        if (scheduled != null && !scheduled.isEmpty()) {
            throw scheduled.poll();
        }
    }

    @Override
    public ContainerRuntime.EngineInfo info() throws EngineException {
        recordCall("info");
        return new ContainerRuntime.EngineInfo("fake", "1", "1.41", "memory");
    }

    @Override
    public List<ContainerFacts> list(String instance) throws EngineException {
        recordCall("list");
        return all();
    }

    @Override
    public Optional<ContainerFacts> inspect(String id) throws EngineException {
        recordCall("inspect");
        return Optional.ofNullable(containers.get(id)).map(each -> each.facts);
    }

    @Override
    public String create(ContainerSpec spec) throws EngineException {
        recordCall("create");
        for (FakeContainer each : containers.values()) {
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
                new FakeContainer(
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
        calledActions.add("create " + spec.name());
        pendingEvents.add(id);
        recordCall("create afterwards");
        return id;
    }

    @Override
    public void start(String id) throws EngineException {
        FakeContainer container = require(id);
        boolean allowed = mayStart.test(container.facts.identity().podUid());
        try {
            recordCall("start");
        } catch (EngineException e) {
            cannotStart(container, e);
            throw e;
        }
        if (container.facts.isLive()) {
            return;
        }
        if (container.spec.namespaces() instanceof ContainerSpec.JoinedNamespaces joined
                && live().stream().noneMatch(each -> each.name().equals(joined.sandbox()))) {
            EngineException cause =
                    new EngineException(Kind.CONFLICT, "cannot join network of a non running container");
            cannotStart(container, cause);
            throw cause;
        }
        if (!allowed) {
            violations.add(container.facts.name() + " was started for a Pod that must not run");
        }
        check(container);
        exitCodes.remove(podUid(container.facts));
        container.facts = with(container.facts, State.RUNNING, Optional.of(clock.get()), Optional.empty(), 0, "");
        calledActions.add("start " + container.facts.name());
        pendingEvents.add(id);
        Integer end = exitsImmediately.get(container.facts.identity().container());
        if (end != null) {
            exit(id, end);
        }
        recordCall("start afterwards");
    }

    private void cannotStart(FakeContainer container, EngineException cause) {
        if (!cause.isUnavailable() && container.facts.state() == State.CREATED) {
            container.facts =
                    with(container.facts, State.CREATED, Optional.empty(), Optional.empty(), 128, cause.getMessage());
            pendingEvents.add(container.facts.id());
        }
    }

    private void check(FakeContainer container) {
        container.spec.binds().forEach(each -> {
            String path = each.source().toString();
            if (path.contains("/volumes/") && !isMounted.test(path)) {
                violations.add(container.facts.name() + " was started without a mount at " + path);
            }
        });
        ContainerLabels.ContainerIdentity identity = container.facts.identity();
        Integer lastExit = exitCodes.get(podUid(container.facts));
        if (lastExit != null && isFinal.test(container.facts, lastExit)) {
            violations.add(container.facts.name() + " was started after it had ended for good");
        }
        for (ContainerFacts other : live()) {
            ContainerLabels.ContainerIdentity otherIdentity = other.identity();
            if (otherIdentity.podUid().equals(identity.podUid())
                    && otherIdentity.role() == identity.role()
                    && otherIdentity.container().equals(identity.container())) {
                violations.add(container.facts.name() + " was started while " + other.name() + " runs");
            }
        }
    }

    @Override
    public void stop(String id, Duration grace) throws EngineException {
        recordCall("stop");
        calledActions.add(
                "stop " + (containers.containsKey(id) ? containers.get(id).facts.name() : id));
        exit(id, 143);
    }

    @Override
    public void remove(String id) throws EngineException {
        recordCall("remove");
        FakeContainer container = containers.remove(id);
        if (container != null) {
            calledActions.add("remove " + container.facts.name());
            pendingEvents.add(id);
        }
    }

    private FakeContainer require(String id) throws EngineException {
        FakeContainer container = containers.get(id);
        if (container == null) {
            throw new EngineException(Kind.NOT_FOUND, "No such container: " + id);
        }
        return container;
    }

    private static ContainerFacts with(
            ContainerFacts facts,
            State state,
            Optional<Instant> started,
            Optional<Instant> finished,
            int exit,
            String error) {
        boolean address = state == State.RUNNING && facts.identity().role() == ContainerLabels.ContainerRole.SANDBOX;
        return new ContainerFacts(
                facts.id(),
                facts.name(),
                facts.image(),
                facts.imageId(),
                facts.labels(),
                state,
                facts.created(),
                started,
                finished,
                exit,
                false,
                error,
                address ? "10.0.0.2" : "");
    }

    @Override
    public Optional<ImageFacts> image(String reference) throws EngineException {
        recordCall("image");
        String name = reference.replace("docker.io/library/", "").replace(":latest", "");
        return images.contains(name)
                ? Optional.of(new ImageFacts("sha256:" + name, List.of(), List.of(), List.of(), 1, ""))
                : Optional.empty();
    }

    @Override
    public ImageFacts pull(String reference, Optional<Credentials> credentials, PullProgress progress)
            throws EngineException {
        recordCall("pull");
        throw new EngineException(Kind.NOT_FOUND, "no registry");
    }

    @Override
    public ImageFacts importImage(String reference, InputStream layer, List<String> entrypoint) {
        throw new UnsupportedOperationException("importImage");
    }

    @Override
    public AutoCloseable watchEvents(String instance, EventListener listener) {
        throw new UnsupportedOperationException("tests read pendingEvents");
    }

    @Override
    public Session logs(String id, LogRequest request, Sink sink) throws EngineException {
        recordCall("logs");
        try {
            sink.output(Channel.STDOUT, log.getBytes(StandardCharsets.UTF_8));
        } catch (IOException | InterruptedException e) {
            throw new EngineException(Kind.FAILED, "sink failed", e);
        }
        return new EndedSession(0);
    }

    @Override
    public Session exec(String id, ExecRequest request, Sink sink) throws EngineException {
        recordCall("exec");
        calledActions.add("exec " + require(id).facts.name() + ' ' + String.join(" ", request.command()));
        return new EndedSession(execExit);
    }

    @Override
    public Session attach(String id, StreamSelection streams, Sink sink) throws EngineException {
        throw new EngineException(Kind.FAILED, "not supported");
    }

    @Override
    public void close() {}
}
