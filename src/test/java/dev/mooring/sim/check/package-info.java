/** What must hold of the World after every event, and more of it when all is quiet. */
package dev.mooring.sim.check;
