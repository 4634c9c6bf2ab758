/** Commands of the machine: argument lists, a fixed search path, an empty environment, a deadline, bounded output. */
package dev.mooring.volume.process;
