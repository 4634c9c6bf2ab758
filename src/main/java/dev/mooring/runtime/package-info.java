/** Containers: what Mooring needs of an engine that runs them, as a port, and the engines that it knows. */
package dev.mooring.runtime;
