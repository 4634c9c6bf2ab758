package dev.mooring.server;

import dev.mooring.api.policy.PodPolicy;
import dev.mooring.model.ProtectedHostPaths;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * All settings, validated and complete. Immutable; created once at start by {@link SettingsLoader}.
 * {@link SettingsTable} lists them with defaults and ranges.
 */
public record Settings(
        Path data,
        String node,
        NodeIdentity nodeIdentity,
        ListenAddress listen,
        Path kubeconfig,
        Set<ServerPart> without,
        ApiSettings api,
        AuditSettings audit,
        EventSettings events,
        QuotaSettings quota,
        VolumeSettings volumes,
        ContainerSettings containers,
        PolicySettings policy,
        LogSettings log,
        LedgerSettings ledger,
        WatchSettings watch,
        ChaosSettings chaos,
        LoggingSettings logging) {

    /** Returns paths of this machine that no Pod may use. */
    public ProtectedHostPaths protectedHostPaths() {
        return ProtectedHostPaths.defaults()
                .withOwn(volumes.root(), data.toAbsolutePath().normalize())
                .withEngine(containers.socket().stream().toList())
                .allowing(policy.adminPaths());
    }

    /** Returns the policy for Pods of users. */
    public PodPolicy podPolicy() {
        Set<Integer> ports = new HashSet<>(policy.grants().reservedPorts());
        ports.add(listen.port());
        api.plainListen().ifPresent(address -> ports.add(address.port()));
        containers.port().ifPresent(ports::add);
        return new PodPolicy(policy.grants().withReservedPorts(ports), policy.defaults(), protectedHostPaths());
    }
}
