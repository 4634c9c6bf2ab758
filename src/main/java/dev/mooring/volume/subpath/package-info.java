/**
 * Parts of volumes for containers that ask for a {@code subPath}. Whoever writes to the volume may put links there, at any moment; so each
 * part is opened name by name from the volume's root, and what was opened is what is mounted, at a path of Mooring's own.
 */
package dev.mooring.volume.subpath;
