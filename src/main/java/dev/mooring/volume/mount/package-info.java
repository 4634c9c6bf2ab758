/** The kernel's mounts: making, verifying and undoing them. */
package dev.mooring.volume.mount;
