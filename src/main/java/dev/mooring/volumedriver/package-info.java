/**
 * Docker's volume driver {@code mooring}: claims as volumes of containers that Docker runs. {@link
 * dev.mooring.volumedriver.VolumeDriver} has the semantics, {@link dev.mooring.volumedriver.VolumeDriverVerticle} the
 * protocol.
 */
package dev.mooring.volumedriver;
