package dev.mooring.server;

import java.util.Optional;

/**
 * Limits per namespace; empty for no limit.
 *
 * @param namespaceBytes memory of the objects: their JSON and some overhead
 */
public record QuotaSettings(Optional<Integer> namespaceObjects, Optional<Long> namespaceBytes) {}
