package dev.mooring.cli.config;

import java.nio.file.Path;

/**
 * Everything that can be set, checked and complete. Immutable; made once at start by {@link SettingsLoader}. What may be
 * set, with defaults and ranges, is listed in {@link SettingsTable}.
 */
public record Settings(
        Path data,
        String node,
        ListenAddress listen,
        Path kubeconfig,
        LogSettings log,
        LedgerSettings ledger,
        WatchSettings watch,
        LoggingSettings logging) {}
