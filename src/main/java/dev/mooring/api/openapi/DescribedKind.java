package dev.mooring.api.openapi;

import dev.mooring.api.discovery.DiscoveredKind;
import dev.mooring.api.schema.Type.Struct;

/** A kind that is served, and the shape of its objects. */
public record DescribedKind(DiscoveredKind served, Struct type) {}
