/**
 * {@code hostPath} volumes: files and directories of the machine. Users choose the paths, which may contain symbolic
 * links and may hang, so they are inspected separately from code that trusts its paths.
 */
package dev.mooring.volume.host;
