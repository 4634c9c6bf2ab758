package dev.mooring.api.discovery;

import dev.mooring.api.types.SchemaType.Struct;

/** A served kind with the type of its objects. */
public record DescribedKind(DiscoveredKind served, Struct type) {}
