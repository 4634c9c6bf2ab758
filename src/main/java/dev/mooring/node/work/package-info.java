/**
 * Does the work on volumes' data that controllers have decided. {@link dev.mooring.node.work.VolumeOperator} sees in the World what is to be done,
 * {@link dev.mooring.node.work.WorkExecutor} does it on bounded threads and writes down how it ended.
 */
package dev.mooring.node.work;
