/** What a Pod's status says, in the kubelet's words. */
package dev.mooring.node.pod.status;
