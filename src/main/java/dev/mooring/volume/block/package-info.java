/**
 * Block volumes: image files behind loop devices, and the file systems on them. Never formats a device that may hold
 * data.
 */
package dev.mooring.volume.block;
