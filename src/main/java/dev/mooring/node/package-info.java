/**
 * The node's own part: what touches the disks of the machine it runs on. It learns from the World what to do and writes there what came of it,
 * as {@code node/<name>}. Decisions are pure and run on the loop that controllers have; effects run on threads of their own.
 */
package dev.mooring.node;
