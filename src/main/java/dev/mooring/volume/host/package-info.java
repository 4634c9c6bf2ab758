/**
 * Volumes that are files and directories of the machine itself: {@code hostPath}. Paths here are the users' own, may lead through symbolic
 * links and may hang; looking at them is kept apart from everything that believes in its paths.
 */
package dev.mooring.volume.host;
