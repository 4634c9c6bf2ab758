/** The scheduler: see {@link dev.mooring.control.schedule.PodScheduler}. */
package dev.mooring.control.schedule;
