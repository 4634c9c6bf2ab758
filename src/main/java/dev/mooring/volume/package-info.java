/**
 * Volume plugins and the data of volumes on this machine: the ports, and the mounter for Linux. Nothing here depends on the
 * log, the World or the controllers.
 */
package dev.mooring.volume;
