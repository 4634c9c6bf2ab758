/** What a node does about the Pods that are on it. */
package dev.mooring.node.pod;
