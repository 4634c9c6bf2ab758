package dev.mooring.cli.config;

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
        LogSettings log,
        LedgerSettings ledger,
        WatchSettings watch,
        LoggingSettings logging) {}
