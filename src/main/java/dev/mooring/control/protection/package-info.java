/**
 * Protection of claims and volumes in use: {@link ClaimProtectionController}, {@link VolumeProtectionController}, and
 * the {@link NodeUsage} of volumes.
 */
package dev.mooring.control.protection;
