/** What a node should have mounted: the desired state of the world, made of its Pods and what these refer to. */
package dev.mooring.node.desired;
