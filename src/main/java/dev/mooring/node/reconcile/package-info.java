/**
 * The actual state of the world: what this node has mounted, and how it follows what is desired. {@code Reconciler} looks, {@code Planner}
 * decides, {@code OperationExecutor} does, {@code Brackets} writes down; {@code Recovery} finds out at the start what is true.
 */
package dev.mooring.node.reconcile;
