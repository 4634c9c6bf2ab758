/**
 * {@code subPath} mounts, and {@code fsGroup} ownership. Processes that write to the volume can create links at any time,
 * so each subPath is opened name by name from the volume's root, and the opened file is bound to a path below Mooring's
 * root.
 */
package dev.mooring.volume.subpath;
