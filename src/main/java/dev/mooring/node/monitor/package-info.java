/**
 * Usage and health of the volumes of a node: measured periodically, exposed as metrics, in tables and as Events.
 */
package dev.mooring.node.monitor;
