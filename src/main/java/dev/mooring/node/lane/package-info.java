/** Whose turn it is: work in lanes, so that what waits for one server keeps nobody else waiting. */
package dev.mooring.node.lane;
