/**
 * Finds local disks: what lies below configured directories becomes {@code local} PersistentVolumes of this node.
 * {@link dev.mooring.node.discover.Discovery} looks, {@link dev.mooring.node.discover.DiscoveryPlan} decides what that means, and
 * {@link dev.mooring.node.discover.DiscoveredReclaimer} wipes and offers again what was given back.
 */
package dev.mooring.node.discover;
