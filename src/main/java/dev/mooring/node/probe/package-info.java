/** Probes and hooks of containers. */
package dev.mooring.node.probe;
