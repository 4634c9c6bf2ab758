/**
 * What users type: commands, exit codes, and the wiring of one server process. Everything may be used from here; nothing
 * uses this package. The only place where the machine's own clock, chance and environment are reached for
 * ({@link dev.mooring.cli.Ambient}).
 */
package dev.mooring.cli;
