/**
 * Volumes that are devices: image files behind loop devices, and the file systems on them. Nothing here ever formats what may hold data.
 */
package dev.mooring.volume.block;
