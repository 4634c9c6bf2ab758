package dev.mooring.api;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** All health checks of this process, in the order they were added. Thread-safe. */
public final class HealthChecks {
    private final List<HealthCheck> checks = new CopyOnWriteArrayList<>();

    public HealthChecks() {
        add(HealthCheck.live("ping", Health::ok)); // as in Kubernetes: whoever answers at all is alive
    }

    /** @throws IllegalArgumentException if there is a check of this name */
    public void add(HealthCheck check) {
        if (checks.stream().anyMatch(known -> known.name().equals(check.name()))) {
            throw new IllegalArgumentException("Expected a new name for a health check, but there is " + check.name());
        }
        checks.add(check);
    }

    /** What is wrong with one check; empty when all is well or there is no such check. */
    public Optional<String> problemOf(String name) {
        return checks.stream()
                .filter(check -> check.name().equals(name))
                .findFirst()
                .flatMap(check -> check.check().problem());
    }

    /** How one check is; nothing if there is no such check. */
    public Optional<Health.State> stateOf(String name) {
        return checks.stream()
                .filter(check -> check.name().equals(name))
                .findFirst()
                .map(check -> check.check().state());
    }

    List<HealthCheck> all() {
        return List.copyOf(checks);
    }
}
