/** What Pods that are gone have left on the disk, taken away without ever touching anybody's data. */
package dev.mooring.volume.orphan;
