/**
 * Deterministic simulation of the whole system: the real ledger, log, API logic, controllers, volume manager and Pod
 * runtime on simulated disks, kernels, servers and engines. A seed decides what happens next. See docs/reliability.md.
 */
package dev.mooring.sim;
