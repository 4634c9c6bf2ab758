/** NFS volumes. Every wait for a server has a deadline, and a dead server does not delay operations on others. */
package dev.mooring.volume.nfs;
