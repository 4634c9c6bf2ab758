package dev.mooring.volume.mount;

/**
 * @param bytes how much a file system in memory may hold; 0 for what the kernel allows
 * @param permissions of its topmost directory
 */
public record MemorySize(long bytes, int permissions) {}
