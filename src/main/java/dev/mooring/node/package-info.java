/**
 * The node agent: everything that touches the machine it runs on. It reads its tasks from the World and writes results
 * to it as {@code node/<name>}. Decisions are pure and run on the controllers' event loop; effects run on their own
 * threads.
 */
package dev.mooring.node;
