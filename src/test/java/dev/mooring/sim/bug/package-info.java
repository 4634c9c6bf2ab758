/** Deliberate bugs, planted into the program's classes while a simulation runs, to show that it would find them. The program knows nothing of them. */
package dev.mooring.sim.bug;
