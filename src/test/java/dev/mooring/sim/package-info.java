/**
 * The whole system in a made-up world: the real ledger, log, API logic, controllers, volume manager and Pod driver on simulated disks, kernels, servers and
 * engines, where a seed decides what happens next. See docs/reliability.md.
 */
package dev.mooring.sim;
