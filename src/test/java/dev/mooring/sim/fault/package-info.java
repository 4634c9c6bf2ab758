/**
 * Injected faults: mutations of the program's classes that the simulation must detect. The program does not refer to
 * them.
 */
package dev.mooring.sim.fault;
