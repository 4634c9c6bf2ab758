/**
 * Controllers, each of which reconciles one aspect of the World. A {@link dev.mooring.control.Controller} is a pure
 * function by key; {@link dev.mooring.control.ControllerVerticle} feeds it from the events through a
 * {@link dev.mooring.control.WorkQueue} and sends its decisions to the ledger.
 */
package dev.mooring.control;
