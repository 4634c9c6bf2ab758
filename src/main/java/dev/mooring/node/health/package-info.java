/** Whether what is mounted is alive: looks at it now and then, tells those it concerns, and notices when a server is back. */
package dev.mooring.node.health;
