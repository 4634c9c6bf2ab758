/**
 * Commands, and their client of the API. May use every package; no package uses it.
 */
package dev.mooring.cli;
