/**
 * {@code emptyDir}: space that the containers of a Pod share and that is deleted with the Pod. These are the only
 * volumes whose content Mooring deletes on tear-down.
 */
package dev.mooring.volume.empty;
