package dev.mooring.control.schedule;

/** The result of checking one node for one Pod: feasible, or a reason. */
sealed interface NodeFilterResult permits FeasibleNode, UnschedulableReason {}
