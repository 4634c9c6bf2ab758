package dev.mooring.cli.config;

import java.time.Duration;

/** How long Events (those of {@code kubectl get events}) are shown; history keeps them. */
public record EventSettings(Duration ttl) {}
