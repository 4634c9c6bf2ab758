/** {@code emptyDir}: room that a Pod's containers share and that goes with the Pod. The only volumes whose content Mooring deletes itself. */
package dev.mooring.volume.empty;
