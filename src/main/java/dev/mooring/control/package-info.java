/**
 * Controllers: each brings one aspect of the World to where it should be. A {@link dev.mooring.control.Controller} is a pure function
 * by key; {@link dev.mooring.control.ControllerVerticle} feeds it from the events through a {@link dev.mooring.control.WorkQueue} and
 * sends what it decides to the ledger.
 */
package dev.mooring.control;
