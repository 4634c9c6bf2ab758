/**
 * The life of PersistentVolumes and claims: binding ({@link PersistentVolumeController}), dynamic provisioning
 * ({@link ProvisionController}), reclaiming ({@link ReclaimController}), expansion ({@link ExpandController}) and claims
 * of ephemeral volumes ({@link EphemeralVolumeController}). Nodes carry out the operations: see
 * {@link dev.mooring.model.view.VolumeOperation}.
 */
package dev.mooring.control.persistentvolume;
