/** Looks at history as a whole: verifies it, and shows it. */
package dev.mooring.replay;
