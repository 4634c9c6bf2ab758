/**
 * Simulated machines, which survive processes: kernels, loop devices, NFS servers and container engines in memory,
 * which inject faults and report violations; and the real node code, wired to them.
 */
package dev.mooring.sim.node;
