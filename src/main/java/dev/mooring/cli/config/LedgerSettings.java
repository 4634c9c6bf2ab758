package dev.mooring.cli.config;

/** Bounds of the ledger: proposals that may wait at once before further ones are refused. */
public record LedgerSettings(int maxPending) {}
