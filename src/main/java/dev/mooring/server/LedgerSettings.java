package dev.mooring.server;

/** Ledger limits: the number of pending proposals above which further ones are refused. */
public record LedgerSettings(int maxPending) {}
