/**
 * Values that the API shares with the server process: limits, health checks, the version, {@code Status} responses, and
 * the port for fault injection.
 */
package dev.mooring.api;
