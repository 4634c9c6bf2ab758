/**
 * The server process: settings, logging, supervision of verticles, and the wiring of all parts. The only package that
 * accesses the system clock, randomness and environment ({@link dev.mooring.server.ProcessEnvironment}).
 */
package dev.mooring.server;
