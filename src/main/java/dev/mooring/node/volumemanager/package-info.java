/**
 * The volume manager of a node. {@code Populator} derives the {@code DesiredStateOfWorld} from Pods; {@code Reconciler}
 * triggers, {@code Planner} decides, {@code OperationExecutor} executes and {@code OperationRecorder} records, until the
 * {@code ActualStateOfWorld} follows; {@code Recovery} determines the actual state at the start. Also executes
 * VolumeOperations ({@code WorkExecutor}), discovers local volumes and removes leftovers.
 */
package dev.mooring.node.volumemanager;
