/**
 * The state of everything: {@link dev.mooring.world.World} is its immutable value at one revision,
 * {@link dev.mooring.world.Ledger} the only way to change it, {@link dev.mooring.world.History} what it was,
 * {@link dev.mooring.world.WatchHub} how it goes on.
 */
package dev.mooring.world;
