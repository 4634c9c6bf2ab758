/**
 * The state: {@link dev.mooring.world.World} is its immutable value at one revision, {@link dev.mooring.world.Ledger}
 * the only way to change it, {@link dev.mooring.world.History} gives past revisions, {@link dev.mooring.world.WatchHub}
 * delivers new events.
 */
package dev.mooring.world;
