package dev.mooring.control.schedule;

/** What came of looking at one node for one Pod: how it could be there, or why it cannot. */
sealed interface NodeOutcome permits Plan, Reason {}
