/** Pods get nodes on which their volumes are or can be made: see {@link dev.mooring.control.schedule.Scheduler}. */
package dev.mooring.control.schedule;
