/**
 * What a machine says of itself: its Node with conditions, capacity and addresses, and the beat that shows that it is there. See
 * {@link dev.mooring.node.status.NodeReporter}.
 */
package dev.mooring.node.status;
