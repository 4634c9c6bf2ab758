/**
 * Faults on demand: what can be asked for ({@link dev.mooring.chaos.ChaosAction}), what is armed ({@link dev.mooring.chaos.Faults}), and who sees to
 * it ({@link dev.mooring.chaos.Chaos}). There only if the configuration says so. Knows verticles and history through ports; whoever mounts volumes
 * asks it.
 */
package dev.mooring.chaos;
