package dev.mooring.volume;

/**
 * Options of a tmpfs mount.
 *
 * @param bytes size limit; 0 for the kernel's default
 * @param permissions mode of the top directory
 */
public record TmpfsOptions(long bytes, int permissions) {}
