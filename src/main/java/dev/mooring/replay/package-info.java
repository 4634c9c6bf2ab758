/** Verification and rewriting of the whole history. */
package dev.mooring.replay;
