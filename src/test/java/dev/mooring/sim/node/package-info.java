/**
 * The machines of a simulation, which survive the processes on them: kernels, loop devices, NFS servers and container engines in memory, which fail in
 * all the ways that a seed can think of and tell what must never be done to them; and a node's real code, wired to them.
 */
package dev.mooring.sim.node;
