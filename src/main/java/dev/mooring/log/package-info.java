/**
 * The event log: the only database. {@link dev.mooring.log.EventLog} is the port, {@link dev.mooring.log.FileEventLog} the
 * embedded implementation. How the files look, and why a crash at any byte is survived, is written at
 * {@link dev.mooring.log.Frames} and {@link dev.mooring.log.TailJudge}.
 */
package dev.mooring.log;
