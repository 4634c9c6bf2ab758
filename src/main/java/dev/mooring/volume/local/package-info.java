/**
 * {@code local} volumes: directories and disks that an administrator published as PersistentVolumes. Never deletes
 * data, and formats only empty disks.
 */
package dev.mooring.volume.local;
