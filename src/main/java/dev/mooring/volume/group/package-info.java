/** Hands the files of a volume to the group of a Pod, as {@code fsGroup} asks for. */
package dev.mooring.volume.group;
