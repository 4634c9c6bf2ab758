/**
 * Decides that a volume is to be made for a claim, by which node, and what becomes of the outcome. The making itself is the node's: see
 * {@link dev.mooring.model.view.VolumeOperation}.
 */
package dev.mooring.control.provision;
