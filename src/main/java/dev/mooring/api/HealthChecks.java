package dev.mooring.api;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** All health checks of this process, in the order of registration. Thread-safe. */
public final class HealthChecks {
    private final List<HealthCheck> checks = new CopyOnWriteArrayList<>();

    public HealthChecks() {
        add(HealthCheck.live(
                "ping", HealthCheck.HealthResult::ok)); // as in Kubernetes: a process that responds is alive
    }

    /** @throws IllegalArgumentException if there is a check of this name */
    public void add(HealthCheck check) {
        if (checks.stream().anyMatch(known -> known.name().equals(check.name()))) {
            throw new IllegalArgumentException("Duplicate health check " + check.name());
        }
        checks.add(check);
    }

    /** Returns the problem of a check; empty if it passes or does not exist. */
    public Optional<String> problemOf(String name) {
        return checks.stream()
                .filter(check -> check.name().equals(name))
                .findFirst()
                .flatMap(check -> check.check().problem());
    }

    /** Returns the state of a check; empty if it does not exist. */
    public Optional<HealthCheck.HealthResult.State> stateOf(String name) {
        return checks.stream()
                .filter(check -> check.name().equals(name))
                .findFirst()
                .map(check -> check.check().state());
    }

    public List<HealthCheck> all() {
        return List.copyOf(checks);
    }
}
