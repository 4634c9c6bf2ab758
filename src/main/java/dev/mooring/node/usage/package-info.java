/** How full the volumes of a node's claims are: measured now and then, told as metrics, in tables and, when it matters, as Events. */
package dev.mooring.node.usage;
