package dev.mooring.cli.config;

import dev.mooring.api.policy.PodPolicy;
import dev.mooring.model.host.GuardedPlaces;
import java.nio.file.Path;
import java.util.Set;

/**
 * Everything that can be set, checked and complete. Immutable; made once at start by {@link SettingsLoader}. What may be
 * set, with defaults and ranges, is listed in {@link SettingsTable}.
 */
public record Settings(
        Path data,
        String node,
        ListenAddress listen,
        Path kubeconfig,
        Set<Part> without,
        ApiSettings api,
        EventSettings events,
        VolumeSettings volumes,
        ContainerSettings containers,
        PolicySettings policy,
        LogSettings log,
        LedgerSettings ledger,
        WatchSettings watch,
        ChaosSettings chaos,
        LoggingSettings logging) {

    /** Paths of this machine that no Pod may have, whoever creates it. */
    public GuardedPlaces guardedPlaces() {
        return GuardedPlaces.usual()
                .withOwn(volumes.root(), data.toAbsolutePath().normalize())
                .withEngine(containers.socket().stream().toList())
                .allowing(policy.adminPaths());
    }

    /** What users may have of this machine through their Pods. */
    public PodPolicy podPolicy() {
        return new PodPolicy(policy.grants(), guardedPlaces());
    }
}
