/** Images: when they are fetched, and what is told about it. */
package dev.mooring.node.image;
