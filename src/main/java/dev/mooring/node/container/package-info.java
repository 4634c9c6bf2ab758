/** Turns what a Pod says of a container into what an engine is asked for. */
package dev.mooring.node.container;
