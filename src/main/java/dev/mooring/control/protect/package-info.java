/**
 * Keeps claims and volumes that somebody uses: {@link dev.mooring.control.protect.ClaimProtection},
 * {@link dev.mooring.control.protect.VolumeProtection}, and who uses what.
 */
package dev.mooring.control.protect;
