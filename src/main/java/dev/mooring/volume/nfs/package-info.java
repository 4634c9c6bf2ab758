/** Volumes on NFS servers: nothing here ever waits for a server without a deadline, nor lets a dead one keep others waiting. */
package dev.mooring.volume.nfs;
