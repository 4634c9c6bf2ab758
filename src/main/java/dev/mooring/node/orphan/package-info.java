/** What former Pods and former lives of this process left on the machine: removed where that is safe, told where it is not. */
package dev.mooring.node.orphan;
