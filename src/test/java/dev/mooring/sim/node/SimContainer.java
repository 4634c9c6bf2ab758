package dev.mooring.sim.node;

import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.Labels;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A container that a simulated engine has. */
final class SimContainer {
    private final ContainerSpec spec;
    private final int number;
    private final List<Place> writable = new ArrayList<>();
    private ContainerFacts facts;

    SimContainer(String id, int number, ContainerSpec spec, Instant now) {
        this.spec = spec;
        this.number = number;
        this.facts = new ContainerFacts(
                id,
                spec.name(),
                spec.image(),
                spec.image(),
                spec.labels(),
                State.CREATED,
                now,
                Optional.empty(),
                Optional.empty(),
                0,
                false,
                "",
                "");
    }

    ContainerSpec spec() {
        return spec;
    }

    ContainerFacts facts() {
        return facts;
    }

    String id() {
        return facts.id();
    }

    Labels.Of whose() {
        return facts.whose();
    }

    boolean isLive() {
        return facts.isLive();
    }

    /** Where what it writes ends up: decided when it began, whatever happens to mounts afterwards. */
    List<Place> writable() {
        return writable;
    }

    /** Pod and container: of which there may be one that runs. */
    String slot() {
        Labels.Of whose = whose();
        return whose.podUid() + '/' + whose.role() + '/' + whose.container();
    }

    /** Whether it has something of a path of the machine. */
    boolean has(String path) {
        return spec.binds().stream().anyMatch(each -> each.source().toString().equals(path))
                || spec.devices().stream()
                        .anyMatch(each -> each.source().toString().equals(path));
    }

    void begun(Instant now) {
        set(State.RUNNING, Optional.of(now), Optional.empty(), 0, "");
    }

    void ended(Instant now, int code) {
        set(State.EXITED, facts.started(), Optional.of(now), code, "");
        writable.clear();
    }

    void notBegun(String why) {
        set(State.CREATED, Optional.empty(), Optional.empty(), 128, why);
    }

    private void set(State state, Optional<Instant> started, Optional<Instant> finished, int exit, String error) {
        boolean address = state == State.RUNNING && whose().role() == Labels.Role.SANDBOX;
        facts = new ContainerFacts(
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
                address ? "10.0." + number / 250 + '.' + (2 + number % 250) : "");
    }
}
