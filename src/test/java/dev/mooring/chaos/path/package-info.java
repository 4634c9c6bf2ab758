/** Somebody bends paths all the time while Mooring works on them; what lies outside must not notice. */
package dev.mooring.chaos.path;
