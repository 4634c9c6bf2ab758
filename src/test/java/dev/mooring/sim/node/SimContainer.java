package dev.mooring.sim.node;

import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.runtime.ContainerSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A container of a simulated engine. */
final class SimContainer {
    private final ContainerSpec spec;
    private final int number;
    private final List<DataLocation> writable = new ArrayList<>();
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

    ContainerLabels.ContainerIdentity owner() {
        return facts.identity();
    }

    boolean isLive() {
        return facts.isLive();
    }

    /** Locations that the container writes to; fixed when it starts, even if mounts change afterwards. */
    List<DataLocation> writable() {
        return writable;
    }

    /** Identity of the container within its Pod; at most one container of a slot may run. */
    String slot() {
        ContainerLabels.ContainerIdentity identity = owner();
        return identity.podUid() + '/' + identity.role() + '/' + identity.container();
    }

    /** Returns whether the container uses a path of the machine. */
    boolean has(String path) {
        return spec.binds().stream().anyMatch(each -> each.source().toString().equals(path))
                || spec.devices().stream()
                        .anyMatch(each -> each.source().toString().equals(path));
    }

    void started(Instant now) {
        set(State.RUNNING, Optional.of(now), Optional.empty(), 0, "");
    }

    void exited(Instant now, int code) {
        set(State.EXITED, facts.started(), Optional.of(now), code, "");
        writable.clear();
    }

    void startFailed(String error) {
        set(State.CREATED, Optional.empty(), Optional.empty(), 128, error);
    }

    private void set(State state, Optional<Instant> started, Optional<Instant> finished, int exit, String error) {
        boolean address = state == State.RUNNING && owner().role() == ContainerLabels.ContainerRole.SANDBOX;
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
