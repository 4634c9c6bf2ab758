/**
 * Runs the Pods of a node.
 */
package dev.mooring.node.pods;
