/**
 * What a node does to the data of a volume. {@link dev.mooring.volume.work.VolumeWorkers} is the way in;
 * {@link dev.mooring.volume.work.MarkedBase} is the protocol that makes it safe to repeat after a crash at any point.
 */
package dev.mooring.volume.work;
