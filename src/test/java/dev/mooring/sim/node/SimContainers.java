package dev.mooring.sim.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.ContainerSpec.HostProcesses;
import dev.mooring.runtime.ContainerSpec.Network;
import dev.mooring.runtime.ContainerSpec.Own;
import dev.mooring.runtime.ContainerSpec.Resources;
import dev.mooring.runtime.ContainerSpec.Security;
import dev.mooring.runtime.ContainerSpec.Terminal;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.Labels;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The containers of a machine. They survive processes, write into their volumes, end by themselves if that is what they are for, and tell what must never
 * happen: one that begins on what is not its volume or for a Pod that is not to run, two that run for one, one more of what has ended for good, and any call
 * that names a container of somebody else.
 */
public final class SimContainers {
    private static final int LIFE_MILLIS = 60_000;

    private final SimMachine machine;
    private final EngineNews news;
    private final StartCheck check;
    private final Map<String, SimContainer> all = new LinkedHashMap<>();
    private final Map<String, Integer> ends = new TreeMap<>();
    private int ids;
    private boolean allSucceed;

    SimContainers(SimMachine machine) {
        this.machine = machine;
        this.news = new EngineNews(machine.life(), machine.random());
        this.check = new StartCheck(machine);
        foreign();
    }

    /** One that another Mooring has made, of the same Pod, by chance. */
    private void foreign() {
        Labels.Of whose = new Labels.Of(
                "another." + machine.name(), "elsewhere", "p", "ns", Labels.Role.CONTAINER, "c", 0, 0, "x", "");
        SimContainer container = new SimContainer(
                "foreign-" + machine.name(),
                0,
                new ContainerSpec(
                        whose.containerName(),
                        "busybox",
                        List.of(),
                        List.of(),
                        Map.of(),
                        "",
                        whose.labels(),
                        new Own(
                                Network.OWN,
                                new HostProcesses(false, false),
                                "",
                                Optional.empty(),
                                List.of(),
                                List.of(),
                                Map.of()),
                        List.of(),
                        List.of(),
                        Security.PLAIN,
                        Resources.PLAIN,
                        Terminal.NONE,
                        ""),
                machine.now());
        container.begun(machine.now());
        all.put(container.id(), container);
    }

    private static boolean isForeign(SimContainer container) {
        return container.whose().instance().startsWith("another.");
    }

    EngineNews news() {
        return news;
    }

    /** Those of this Mooring. */
    public List<SimContainer> ours() {
        return all.values().stream().filter(each -> !isForeign(each)).toList();
    }

    List<SimContainer> live() {
        return ours().stream().filter(SimContainer::isLive).toList();
    }

    List<ContainerFacts> of(String instance) {
        return all.values().stream()
                .filter(each -> each.whose().instance().equals(instance))
                .map(SimContainer::facts)
                .toList();
    }

    Optional<SimContainer> find(String id) {
        Optional<SimContainer> found = Optional.ofNullable(all.get(id));
        found.filter(SimContainers::isForeign)
                .ifPresent(each -> machine.findings()
                        .report(
                                "foreign",
                                "a container of somebody else is named to the engine: "
                                        + each.facts().name()));
        return found;
    }

    /** One that runs and has something of a path. */
    Optional<SimContainer> user(String path) {
        return live().stream().filter(each -> each.has(path)).findFirst();
    }

    /** Whether its Pod is to have containers that run. */
    boolean mayBegin(String id) {
        return Optional.ofNullable(all.get(id))
                .flatMap(this::pod)
                .filter(each -> !each.isBeingDeleted() && !each.isFinished())
                .isPresent();
    }

    private Optional<Pod> pod(SimContainer container) {
        Labels.Of whose = container.whose();
        return machine.world()
                .get(Pod.key(whose.podNamespace(), whose.podName()))
                .map(Pod::of)
                .filter(each -> each.uid().equals(whose.podUid()));
    }

    String create(ContainerSpec spec) throws EngineException {
        for (SimContainer each : all.values()) {
            if (each.facts().name().equals(spec.name())) {
                if (!each.facts().labels().equals(spec.labels())) {
                    throw new EngineException(Kind.CONFLICT, "The container name is already in use");
                }
                return each.id();
            }
        }
        String id = machine.name() + "-c" + ids++;
        SimContainer made = new SimContainer(id, ids, spec, machine.now().plusNanos(ids));
        all.put(id, made);
        tell(made);
        return id;
    }

    private void tell(SimContainer about) {
        String how = news.tell(about);
        if (!how.equals("soon")) {
            machine.storage()
                    .coverage()
                    .hit("engine news " + how, about.facts().state().toString());
        }
    }

    /** @param wanted whether its Pod was to run when that was asked for */
    void start(String id, boolean wanted) throws EngineException {
        SimContainer made = find(id).orElseThrow(() -> new EngineException(Kind.NOT_FOUND, "No such container: " + id));
        if (made.isLive()) {
            return;
        }
        try {
            if (made.spec().surroundings() instanceof ContainerSpec.Joined joined
                    && live().stream().noneMatch(each -> each.facts().name().equals(joined.sandbox()))) {
                throw new EngineException(Kind.CONFLICT, "cannot join network of a non running container");
            }
            check.begin(made);
        } catch (EngineException e) {
            if (made.facts().state() == ContainerFacts.State.CREATED) {
                made.notBegun(e.getMessage());
                tell(made);
            }
            throw e;
        }
        String name = made.facts().name();
        machine.findings().check(wanted, "pods", name + " is started for a Pod that is not to run");
        for (SimContainer each : live()) {
            machine.findings()
                    .check(
                            !each.slot().equals(made.slot()),
                            "pods",
                            name + " is started beside " + each.facts().name());
        }
        machine.findings().check(!isOver(made), "pods", name + " is started although it had ended for good");
        ends.remove(made.slot());
        made.begun(machine.now());
        tell(made);
        write(made);
        endLater(made);
    }

    private boolean isOver(SimContainer container) {
        Integer exit = ends.get(container.slot());
        if (exit == null || container.whose().role() != Labels.Role.CONTAINER) {
            return false;
        }
        String policy = pod(container)
                .map(each -> each.spec().path("restartPolicy").asText("Always"))
                .orElse("Always");
        return policy.equals("Never") || (policy.equals("OnFailure") && exit == 0);
    }

    /** What is there to end does. */
    private void endLater(SimContainer container) {
        if (!isToEnd(container)) {
            return;
        }
        int code = allSucceed || machine.random().nextInt(3) > 0 ? 0 : 1;
        Duration life = Duration.ofMillis(1L + machine.random().nextInt(LIFE_MILLIS));
        machine.life()
                .after(life, machine.life().strand("container"), () -> exit(container.id(), allSucceed ? 0 : code));
    }

    private boolean isToEnd(SimContainer container) {
        Labels.Role role = container.whose().role();
        Optional<Pod> pod = pod(container);
        if (role == Labels.Role.SANDBOX || pod.isEmpty()) {
            return false;
        }
        if (role == Labels.Role.INIT) {
            for (JsonNode each : pod.get().spec().path("initContainers")) {
                if (each.path("name").asText("").equals(container.whose().container())) {
                    return !each.path("restartPolicy").asText("").equals("Always");
                }
            }
        }
        return role == Labels.Role.INIT
                || !pod.get().spec().path("restartPolicy").asText("Always").equals("Always");
    }

    /** From now on whatever ends by itself has succeeded. */
    void succeed() {
        allSucceed = true;
    }

    /** Into all its volumes that it may write to, as far as they answer. */
    void write(SimContainer container) {
        if (!container.isLive()) {
            return;
        }
        for (Place each : container.writable()) {
            machine.findings()
                    .check(
                            !machine.storage().isDeleted(each),
                            "I4",
                            container.facts().name() + " writes into " + each + ", which has been deleted");
            machine.storage().write(each);
        }
    }

    /** It ends, by itself or not. */
    void exit(String id, int code) {
        SimContainer container = all.get(id);
        if (container != null && container.isLive()) {
            write(container);
            container.ended(machine.now(), code);
            ends.put(container.slot(), code);
            tell(container);
        }
    }

    void endAll(int code) {
        List.copyOf(ours()).forEach(each -> exit(each.id(), code));
    }

    void remove(String id) {
        Optional<SimContainer> found = find(id);
        if (found.isPresent() && !isForeign(found.get())) {
            exit(id, 137);
            all.remove(id);
            tell(found.get());
        }
    }

    /** Somebody else takes it away, and what it was is not known any more. */
    void removedByHand(SimContainer container) {
        exit(container.id(), 137);
        all.remove(container.id());
        ends.remove(container.slot());
        tell(container);
    }

    /** What is left of Pods, in words. */
    List<String> leftovers() {
        List<String> left = new ArrayList<>();
        ours().forEach(each ->
                left.add("container " + each.facts().name() + " " + each.facts().state()));
        return left;
    }

    /** Whether those of others are as they were. */
    void foreignMustRun() {
        boolean runs = all.values().stream().anyMatch(each -> isForeign(each) && each.isLive());
        machine.findings().check(runs, "foreign", "a container of somebody else does not run any more");
    }
}
