package dev.mooring.node.status;

import dev.mooring.node.status.MachineFacts.MachineResources;

/**
 * The pressure conditions of a node. Pressure begins below a threshold and ends above twice the threshold, so that the
 * condition does not flap. There is no pressure for values that the machine does not report. Pure.
 */
enum Pressure {
    MEMORY("MemoryPressure", "HasSufficientMemory", "HasInsufficientMemory", "memory") {
        @Override
        long available(MachineResources has) {
            return has.memoryBytes() == 0 ? Long.MAX_VALUE : has.memoryAvailableBytes();
        }

        /** The kubelet's threshold. */
        @Override
        long threshold(MachineResources has) {
            return 100L << 20;
        }
    },
    DISK("DiskPressure", "HasNoDiskPressure", "HasDiskPressure", "disk space") {
        @Override
        long available(MachineResources has) {
            return has.diskBytes() == 0 ? Long.MAX_VALUE : has.diskAvailableBytes();
        }

        /**
         * What the event log needs to continue. The kubelet's 10 percent would be too much on a server full of volumes.
         */
        @Override
        long threshold(MachineResources has) {
            return 256L << 20;
        }
    },
    PID("PIDPressure", "HasSufficientPID", "HasInsufficientPID", "process IDs") {
        @Override
        long available(MachineResources has) {
            return has.maxTasks() == 0 ? Long.MAX_VALUE : has.maxTasks() - has.tasks();
        }

        @Override
        long threshold(MachineResources has) {
            return has.maxTasks() / 20;
        }
    };

    private final String condition;
    private final String sufficient;
    private final String insufficient;
    private final String what;

    Pressure(String condition, String sufficient, String insufficient, String what) {
        this.condition = condition;
        this.sufficient = sufficient;
        this.insufficient = insufficient;
        this.what = what;
    }

    abstract long available(MachineResources has);

    abstract long threshold(MachineResources has);

    String condition() {
        return condition;
    }

    boolean staysUnderPressure(MachineResources has) {
        return available(has) < 2 * threshold(has);
    }

    boolean isBelowThreshold(MachineResources has) {
        return available(has) < threshold(has);
    }

    String reason(boolean pressed) {
        return "Mooring" + (pressed ? insufficient : sufficient);
    }

    String message(boolean pressed) {
        return (pressed ? "The node is low on " : "The node has enough ") + what;
    }
}
