package dev.mooring.sim.node;

import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.ImageFacts;
import dev.mooring.sim.SimThread;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The container engine of a simulated machine, as a process sees it. Each operation is atomic; the caller waits before
 * and after it, and a call may fail although it took effect. It has timeouts of its own, like a Docker client.
 */
public final class SimEngine implements ContainerRuntime {
    private static final int NO_RESPONSE_MILLIS = 3000;
    private static final int STOP_MILLIS = 4000;
    private static final int PULL_MILLIS = 20_000;

    /**
     * Further concurrent removals are not delayed: {@code PodSteps} limits them, and its real lock would block the
     * simulation.
     */
    private static final int REMOVALS = 6;

    private final SimMachine machine;
    private final SimContainers containers;
    private final Set<String> images = new TreeSet<>(Set.of("busybox", "pause"));
    private final Set<String> notInRegistry = new TreeSet<>();
    private boolean down;
    private int removing;

    SimEngine(SimMachine machine, SimContainers containers) {
        this.machine = machine;
        this.containers = containers;
    }

    /** The containers of this engine. */
    public SimContainers containers() {
        return containers;
    }

    /** Stops or resumes responding; containers keep running. */
    void setDown(boolean now) {
        down = now;
        if (down) {
            containers.events().closeAll(new EngineException(Kind.UNREACHABLE, "the engine stopped"));
        }
    }

    boolean isDown() {
        return down;
    }

    /** Restarts the engine; all containers exit. */
    void restart() {
        containers.events().closeAll(new EngineException(Kind.UNREACHABLE, "the engine is restarted"));
        containers.endAll(137);
    }

    /** Removes an image from the engine. */
    void removeImage(String name) {
        images.remove(name);
    }

    /** Sets whether the registry has an image. */
    void setInRegistry(String name, boolean available) {
        if (available) {
            notInRegistry.remove(name);
        } else {
            notInRegistry.add(name);
        }
    }

    void makeAllImagesAvailable() {
        notInRegistry.clear();
    }

    /** Executes a call with its faults, if the engine is up. */
    private <T> T call(String call, SimCallFaults.SimCall<T, EngineException> action)
            throws EngineException, InterruptedException {
        return machine.callFaults()
                .perform(
                        call,
                        "engine",
                        () -> {
                            requireUp();
                            return action.run();
                        },
                        done -> new EngineException(
                                done ? Kind.TOO_SLOW : Kind.FAILED, done ? "no answer in time" : "injected error"));
    }

    private void requireUp() throws EngineException, InterruptedException {
        if (down) {
            machine.callFaults().pause(NO_RESPONSE_MILLIS);
            machine.storage().coverage().hit("engine down", "call");
            throw new EngineException(Kind.UNREACHABLE, "engine is down");
        }
    }

    @Override
    public ContainerRuntime.EngineInfo info() throws EngineException, InterruptedException {
        return call("info", () -> new ContainerRuntime.EngineInfo("sim", "1", "1.41", "memory"));
    }

    @Override
    public List<ContainerFacts> list(String instance) throws EngineException, InterruptedException {
        return call("list", () -> containers.of(instance));
    }

    @Override
    public Optional<ContainerFacts> inspect(String id) throws EngineException, InterruptedException {
        return call("inspect", () -> containers.find(id).map(SimContainer::facts));
    }

    @Override
    public String create(ContainerSpec spec) throws EngineException, InterruptedException {
        return call("create", () -> {
            if (!images.contains(name(spec.image()))) {
                throw new EngineException(Kind.NOT_FOUND, "No such image: " + spec.image());
            }
            return containers.create(spec);
        });
    }

    @Override
    public void start(String id) throws EngineException, InterruptedException {
        boolean wanted = containers.mayStart(id);
        call("start", () -> {
            containers.start(id, wanted);
            return id;
        });
    }

    @Override
    public void stop(String id, Duration grace) throws EngineException, InterruptedException {
        call("stop", () -> {
            if (containers.find(id).filter(SimContainer::isLive).isPresent()) {
                long most = Math.max(1, Math.min(STOP_MILLIS, grace.toMillis()));
                machine.callFaults().pause((int) most);
            }
            containers.exit(id, machine.random().nextInt(4) == 0 ? 137 : 143);
            return id;
        });
    }

    @Override
    public void remove(String id) throws EngineException, InterruptedException {
        if (removing >= REMOVALS) {
            SimThread.requireAlive();
            if (down) {
                throw new EngineException(Kind.UNREACHABLE, "engine is down");
            }
            containers.remove(id);
            return;
        }
        removing++;
        try {
            call("remove", () -> {
                containers.remove(id);
                return id;
            });
        } finally {
            removing--;
        }
    }

    private static String name(String reference) {
        return reference
                .replace("sha256:", "")
                .replace("docker.io/library/", "")
                .replace(":latest", "");
    }

    private static ImageFacts facts(String name) {
        return new ImageFacts("sha256:" + name, List.of(), List.of(), List.of(), 1, "");
    }

    @Override
    public Optional<ImageFacts> image(String reference) throws EngineException, InterruptedException {
        return call(
                "image",
                () -> images.contains(name(reference)) ? Optional.of(facts(name(reference))) : Optional.empty());
    }

    @Override
    public ImageFacts pull(String reference, Optional<Credentials> credentials, PullProgress progress)
            throws EngineException, InterruptedException {
        return call("pull", () -> {
            machine.callFaults().pause(PULL_MILLIS);
            requireUp();
            if (notInRegistry.contains(name(reference)) || name(reference).startsWith("missing")) {
                throw new EngineException(Kind.NOT_FOUND, "manifest unknown: " + reference);
            }
            images.add(name(reference));
            return facts(name(reference));
        });
    }

    /** Returns the image of sandboxes, which the engine creates itself. */
    String pauseImage() throws EngineException, InterruptedException {
        return call("image", () -> {
            images.add("pause");
            return "pause";
        });
    }

    @Override
    public ImageFacts importImage(String reference, InputStream layer, List<String> entrypoint) {
        throw new UnsupportedOperationException("not simulated");
    }

    @Override
    public AutoCloseable watchEvents(String instance, EventListener listener)
            throws EngineException, InterruptedException {
        return call("follow", () -> containers.events().subscribe(instance, listener));
    }

    @Override
    public Session logs(String id, LogRequest request, Sink sink) throws EngineException, InterruptedException {
        return call("logs", () -> new SimSession(0));
    }

    @Override
    public Session exec(String id, ExecRequest request, Sink sink) throws EngineException, InterruptedException {
        return call("exec", () -> {
            if (containers.find(id).filter(SimContainer::isLive).isEmpty()) {
                throw new EngineException(Kind.CONFLICT, "the container does not run");
            }
            return new SimSession(0);
        });
    }

    @Override
    public Session attach(String id, StreamSelection wanted, Sink sink) throws EngineException {
        throw new EngineException(Kind.FAILED, "not simulated");
    }

    /** Closes the connections of this process only. */
    @Override
    public void close() {
        containers.events().disconnect();
    }
}
