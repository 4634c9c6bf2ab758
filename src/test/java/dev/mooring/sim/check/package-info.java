/** Invariants of the World: checked after every event, and additional ones when the system is idle. */
package dev.mooring.sim.check;
