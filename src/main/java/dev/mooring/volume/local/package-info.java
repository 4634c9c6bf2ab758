/**
 * {@code local}: directories and disks of the machine that an administrator has made PersistentVolumes. Their data is the users'; nothing
 * here deletes any of it, and only a disk on which nothing is gets formatted.
 */
package dev.mooring.volume.local;
