/**
 * What kubectl asks before anything else: which kinds are there, what are they called, what can be done with them. Built from a list of
 * {@code DiscoveredKind}s, answered from memory.
 */
package dev.mooring.api.discovery;
