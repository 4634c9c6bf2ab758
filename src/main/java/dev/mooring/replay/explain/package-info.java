/**
 * Explanations of the state of objects: {@link dev.mooring.replay.explain.Explainer} finds the cause of a state in a
 * World, with the functions by which controllers and nodes decide.
 */
package dev.mooring.replay.explain;
