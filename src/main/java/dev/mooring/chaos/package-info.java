/**
 * Fault injection: actions ({@link dev.mooring.chaos.ChaosAction}), armed faults ({@link dev.mooring.chaos.Faults}) and
 * their execution ({@link dev.mooring.chaos.Chaos}). Available only if the configuration enables it. Accesses verticles
 * and history through interfaces; volume operations query it.
 */
package dev.mooring.chaos;
