/** The container runtime port, and its implementations. */
package dev.mooring.runtime;
