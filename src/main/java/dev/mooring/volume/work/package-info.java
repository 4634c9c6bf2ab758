/**
 * Jobs on the data of volumes. {@link dev.mooring.volume.work.VolumeWorkers} is the entry point;
 * {@link dev.mooring.volume.work.VolumeBaseDirectory} implements the protocol that makes jobs safe to repeat after a crash
 * at any point. Also measures usage, and removes directories of Pods that are gone.
 */
package dev.mooring.volume.work;
