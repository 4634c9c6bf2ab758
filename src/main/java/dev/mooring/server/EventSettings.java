package dev.mooring.server;

import java.time.Duration;

/** How long Events are kept in the API ({@code kubectl get events}); the history keeps them beyond that. */
public record EventSettings(Duration ttl) {}
