/**
 * Tests against a kernel's own NFS client, NFS server and file systems. {@code scripts/real-kernel/run} makes a place for them that
 * nothing leaks from; anywhere else they skip themselves.
 */
package dev.mooring.kernel;
