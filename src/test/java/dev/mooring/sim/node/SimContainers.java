package dev.mooring.sim.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.ContainerSpec.ContainerResources;
import dev.mooring.runtime.ContainerSpec.HostNamespaces;
import dev.mooring.runtime.ContainerSpec.NetworkMode;
import dev.mooring.runtime.ContainerSpec.OwnNamespaces;
import dev.mooring.runtime.ContainerSpec.Security;
import dev.mooring.runtime.ContainerSpec.StdinSettings;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The containers of a machine. They survive processes of Mooring, write into their volumes and exit by themselves if
 * their Pod is a job. Reports violations: a container started with wrong data or for a Pod that must not run, two
 * running containers of one slot, a restart of a finished container, and calls for foreign containers.
 */
public final class SimContainers {
    private static final int RUN_MILLIS = 60_000;

    private final SimMachine machine;
    private final SimEngineEvents events;
    private final ContainerStartCheck check;
    private final Map<String, SimContainer> all = new LinkedHashMap<>();
    private final Map<String, Integer> exitCodes = new TreeMap<>();
    private int ids;
    private boolean allSucceed;

    SimContainers(SimMachine machine) {
        this.machine = machine;
        this.events = new SimEngineEvents(machine.taskGroup(), machine.random());
        this.check = new ContainerStartCheck(machine);
        createForeign();
    }

    /** Creates a container of another Mooring instance, with the same Pod name. */
    private void createForeign() {
        ContainerLabels.ContainerIdentity identity = new ContainerLabels.ContainerIdentity(
                "another." + machine.name(),
                "elsewhere",
                "p",
                "ns",
                ContainerLabels.ContainerRole.CONTAINER,
                "c",
                0,
                0,
                "x",
                "");
        SimContainer container = new SimContainer(
                "foreign-" + machine.name(),
                0,
                new ContainerSpec(
                        identity.containerName(),
                        "busybox",
                        List.of(),
                        List.of(),
                        Map.of(),
                        "",
                        identity.toLabels(),
                        new OwnNamespaces(
                                NetworkMode.OWN,
                                new HostNamespaces(false, false),
                                "",
                                Optional.empty(),
                                List.of(),
                                List.of(),
                                Map.of()),
                        List.of(),
                        List.of(),
                        Security.PLAIN,
                        ContainerResources.PLAIN,
                        StdinSettings.NONE,
                        ""),
                machine.now());
        container.started(machine.now());
        all.put(container.id(), container);
    }

    private static boolean isForeign(SimContainer container) {
        return container.owner().instance().startsWith("another.");
    }

    SimEngineEvents events() {
        return events;
    }

    /** Returns the containers of this Mooring instance. */
    public List<SimContainer> ours() {
        return all.values().stream().filter(each -> !isForeign(each)).toList();
    }

    List<SimContainer> live() {
        return ours().stream().filter(SimContainer::isLive).toList();
    }

    List<ContainerFacts> of(String instance) {
        return all.values().stream()
                .filter(each -> each.owner().instance().equals(instance))
                .map(SimContainer::facts)
                .toList();
    }

    Optional<SimContainer> find(String id) {
        Optional<SimContainer> found = Optional.ofNullable(all.get(id));
        found.filter(SimContainers::isForeign)
                .ifPresent(each -> machine.violations()
                        .report(
                                "foreign",
                                "the engine got a call for a foreign container: "
                                        + each.facts().name()));
        return found;
    }

    /** Returns a running container that uses a path. */
    Optional<SimContainer> userOf(String path) {
        return live().stream().filter(each -> each.has(path)).findFirst();
    }

    /** Returns whether the container's Pod should run. */
    boolean mayStart(String id) {
        return Optional.ofNullable(all.get(id))
                .flatMap(this::pod)
                .filter(each -> !each.isBeingDeleted() && !each.isFinished())
                .isPresent();
    }

    private Optional<Pod> pod(SimContainer container) {
        ContainerLabels.ContainerIdentity identity = container.owner();
        return machine.world()
                .get(Pod.key(identity.podNamespace(), identity.podName()))
                .map(Pod::of)
                .filter(each -> each.uid().equals(identity.podUid()));
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
        emit(made);
        return id;
    }

    private void emit(SimContainer container) {
        String delivery = events.emit(container);
        if (!delivery.equals(SimEngineEvents.ON_TIME)) {
            machine.storage()
                    .coverage()
                    .hit("engine event " + delivery, container.facts().state().toString());
        }
    }

    /** @param wanted whether the Pod should run at the time of the request */
    void start(String id, boolean wanted) throws EngineException {
        SimContainer made = find(id).orElseThrow(() -> new EngineException(Kind.NOT_FOUND, "No such container: " + id));
        if (made.isLive()) {
            return;
        }
        try {
            if (made.spec().namespaces() instanceof ContainerSpec.JoinedNamespaces joined
                    && live().stream().noneMatch(each -> each.facts().name().equals(joined.sandbox()))) {
                throw new EngineException(Kind.CONFLICT, "cannot join network of a non running container");
            }
            check.check(made);
        } catch (EngineException e) {
            if (made.facts().state() == ContainerFacts.State.CREATED) {
                made.startFailed(e.getMessage());
                emit(made);
            }
            throw e;
        }
        String name = made.facts().name();
        machine.violations().check(wanted, "pods", name + " is started for a Pod that must not run");
        for (SimContainer each : live()) {
            machine.violations()
                    .check(
                            !each.slot().equals(made.slot()),
                            "pods",
                            name + " is started while " + each.facts().name() + " runs");
        }
        machine.violations().check(!isFinished(made), "pods", name + " is started again although it has finished");
        exitCodes.remove(made.slot());
        made.started(machine.now());
        emit(made);
        write(made);
        scheduleExit(made);
    }

    private boolean isFinished(SimContainer container) {
        Integer exit = exitCodes.get(container.slot());
        if (exit == null || container.owner().role() != ContainerLabels.ContainerRole.CONTAINER) {
            return false;
        }
        String policy = pod(container)
                .map(each -> each.spec().path("restartPolicy").asText("Always"))
                .orElse("Always");
        return policy.equals("Never") || (policy.equals("OnFailure") && exit == 0);
    }

    /** Schedules the exit of a container that terminates by itself. */
    private void scheduleExit(SimContainer container) {
        if (!exitsByItself(container)) {
            return;
        }
        int code = allSucceed || machine.random().nextInt(3) > 0 ? 0 : 1;
        Duration runtime = Duration.ofMillis(1L + machine.random().nextInt(RUN_MILLIS));
        machine.taskGroup()
                .after(
                        runtime,
                        machine.taskGroup().executor("container"),
                        () -> exit(container.id(), allSucceed ? 0 : code));
    }

    private boolean exitsByItself(SimContainer container) {
        ContainerLabels.ContainerRole role = container.owner().role();
        Optional<Pod> pod = pod(container);
        if (role == ContainerLabels.ContainerRole.SANDBOX || pod.isEmpty()) {
            return false;
        }
        if (role == ContainerLabels.ContainerRole.INIT) {
            for (JsonNode each : pod.get().spec().path("initContainers")) {
                if (each.path("name").asText("").equals(container.owner().container())) {
                    return !each.path("restartPolicy").asText("").equals("Always");
                }
            }
        }
        return role == ContainerLabels.ContainerRole.INIT
                || !pod.get().spec().path("restartPolicy").asText("Always").equals("Always");
    }

    /** Lets containers that terminate by themselves succeed from now on. */
    void setAllSucceed() {
        allSucceed = true;
    }

    /** Writes to all writable volumes of a container. */
    void write(SimContainer container) {
        if (!container.isLive()) {
            return;
        }
        for (DataLocation each : container.writable()) {
            machine.violations()
                    .check(
                            !machine.storage().isDeleted(each),
                            "I4",
                            container.facts().name() + " writes into " + each + ", which has been deleted");
            machine.storage().write(each);
        }
    }

    /** Ends a container. */
    void exit(String id, int code) {
        SimContainer container = all.get(id);
        if (container != null && container.isLive()) {
            write(container);
            container.exited(machine.now(), code);
            exitCodes.put(container.slot(), code);
            emit(container);
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
            emit(found.get());
        }
    }

    /** Removes a container externally; its exit code is forgotten. */
    void removedByHand(SimContainer container) {
        exit(container.id(), 137);
        all.remove(container.id());
        exitCodes.remove(container.slot());
        emit(container);
    }

    /** Describes the remaining containers. */
    List<String> leftovers() {
        List<String> left = new ArrayList<>();
        ours().forEach(each ->
                left.add("container " + each.facts().name() + " " + each.facts().state()));
        return left;
    }

    /** Checks that foreign containers still run. */
    void checkForeignContainers() {
        boolean runs = all.values().stream().anyMatch(each -> isForeign(each) && each.isLive());
        machine.violations().check(runs, "foreign", "a foreign container does not run any more");
    }
}
