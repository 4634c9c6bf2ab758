/**
 * The event log: the only database. {@link dev.mooring.log.EventLog} is the interface,
 * {@link dev.mooring.log.FileEventLog} the embedded implementation. {@link dev.mooring.log.SegmentFormat} and
 * {@link dev.mooring.log.TailClassifier} describe the file format, and why a crash at any byte is survived.
 */
package dev.mooring.log;
