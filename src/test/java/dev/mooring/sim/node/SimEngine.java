package dev.mooring.sim.node;

import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.EngineInfo;
import dev.mooring.runtime.ImageFacts;
import dev.mooring.sim.Carrier;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The container engine of a simulated machine, as a process talks to it. Whatever it does takes one moment; before and after it the caller waits, and may
 * hear of a failure although it was done. It has deadlines of its own, as a client of Docker has.
 */
public final class SimEngine implements ContainerRuntime {
    private static final int SILENCE_MILLIS = 3000;
    private static final int STOP_MILLIS = 4000;
    private static final int PULL_MILLIS = 20_000;

    /** More of them would really block: {@code PodSteps} lets only so many through. */
    private static final int REMOVALS = 6;

    private final SimMachine machine;
    private final SimContainers containers;
    private final Set<String> images = new TreeSet<>(Set.of("busybox", "pause"));
    private final Set<String> gone = new TreeSet<>();
    private boolean down;
    private int removing;

    SimEngine(SimMachine machine, SimContainers containers) {
        this.machine = machine;
        this.containers = containers;
    }

    /** What it has and runs. */
    public SimContainers containers() {
        return containers;
    }

    /** It stops to answer, or answers again; containers go on. */
    void setDown(boolean now) {
        down = now;
        if (down) {
            containers.news().end(new EngineException(Kind.UNREACHABLE, "the engine has gone"));
        }
    }

    boolean isDown() {
        return down;
    }

    /** It begins anew, and all that it ran has ended. */
    void restart() {
        containers.news().end(new EngineException(Kind.UNREACHABLE, "the engine is restarted"));
        containers.endAll(137);
    }

    /** Somebody tidies up. */
    void removeImage(String name) {
        images.remove(name);
    }

    /** A registry that has an image no more, or has it again. */
    void setInRegistry(String name, boolean there) {
        if (there) {
            gone.remove(name);
        } else {
            gone.add(name);
        }
    }

    void registryHasEverything() {
        gone.clear();
    }

    /** Whether what the caller asks for is done: engines that are gone do nothing, and who dies meanwhile asks for nothing. */
    private <T> T call(String call, Turns.Deed<T, EngineException> deed) throws EngineException, InterruptedException {
        return machine.turns()
                .perform(
                        call,
                        "engine",
                        () -> {
                            mustBeThere();
                            return deed.done();
                        },
                        done -> new EngineException(
                                done ? Kind.TOO_SLOW : Kind.FAILED, done ? "no answer in time" : "meant to fail"));
    }

    private void mustBeThere() throws EngineException, InterruptedException {
        if (down) {
            machine.turns().pause(SILENCE_MILLIS);
            machine.storage().coverage().hit("engine down", "call");
            throw new EngineException(Kind.UNREACHABLE, "nobody answers");
        }
    }

    @Override
    public EngineInfo info() throws EngineException, InterruptedException {
        return call("info", () -> new EngineInfo("sim", "1", "1.41", "memory"));
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
        boolean wanted = containers.mayBegin(id);
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
                machine.turns().pause((int) most);
            }
            containers.exit(id, machine.random().nextInt(4) == 0 ? 137 : 143);
            return id;
        });
    }

    @Override
    public void remove(String id) throws EngineException, InterruptedException {
        if (removing >= REMOVALS) {
            Carrier.requireAlive();
            if (down) {
                throw new EngineException(Kind.UNREACHABLE, "nobody answers");
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
        return new ImageFacts("sha256:" + name, List.of(), 1, "");
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
            machine.turns().pause(PULL_MILLIS);
            mustBeThere();
            if (gone.contains(name(reference)) || name(reference).startsWith("missing")) {
                throw new EngineException(Kind.NOT_FOUND, "manifest unknown: " + reference);
            }
            images.add(name(reference));
            return facts(name(reference));
        });
    }

    /** What sandboxes are made of, which it makes by itself. */
    String pauseImage() throws EngineException, InterruptedException {
        return call("image", () -> {
            images.add("pause");
            return "pause";
        });
    }

    @Override
    public ImageFacts importImage(String reference, InputStream layer, List<String> entrypoint) {
        throw new UnsupportedOperationException("nobody asks for it here");
    }

    @Override
    public AutoCloseable follow(String instance, Follower follower) throws EngineException, InterruptedException {
        return call("follow", () -> containers.news().follow(instance, follower));
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
    public Session attach(String id, Wanted wanted, Sink sink) throws EngineException {
        throw new EngineException(Kind.FAILED, "nobody listens");
    }

    /** Only this process's way to it. */
    @Override
    public void close() {
        containers.news().disconnect();
    }
}
