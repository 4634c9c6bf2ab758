/**
 * Tests with the NFS client, NFS server and filesystems of a real kernel. {@code scripts/real-kernel/run} creates an
 * isolated environment for them; anywhere else they are skipped.
 */
package dev.mooring.kernel;
