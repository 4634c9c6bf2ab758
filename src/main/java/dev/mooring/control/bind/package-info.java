/** Brings claims and volumes together, and apart: the PersistentVolumeController. */
package dev.mooring.control.bind;
