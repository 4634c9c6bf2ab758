/**
 * The node's status: its Node with conditions, capacity and addresses, and its Lease. See
 * {@link dev.mooring.node.status.NodeReporter}.
 */
package dev.mooring.node.status;
