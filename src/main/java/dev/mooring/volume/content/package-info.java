/**
 * Volumes whose files are built from API objects: ConfigMaps, Secrets, fields of the Pod, and projections of these. A
 * {@code ContentSource} defines the files, and the {@code AtomicWriter} publishes all of them in one step. The files
 * can be rebuilt at any time, and the writer does not trust anything that a container may have left in the directory.
 */
package dev.mooring.volume.content;
