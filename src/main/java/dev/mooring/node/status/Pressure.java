package dev.mooring.node.status;

import dev.mooring.node.status.MachineFacts.Resources;

/**
 * Something of which a node can run short. It is short of it when less than a little is left, and no longer when there is twice that
 * again, so that it does not go to and fro. What the machine does not tell it is never short of. Pure.
 */
enum Pressure {
    MEMORY("MemoryPressure", "HasSufficientMemory", "HasInsufficientMemory", "memory") {
        @Override
        long left(Resources has) {
            return has.memoryBytes() == 0 ? Long.MAX_VALUE : has.memoryAvailableBytes();
        }

        /** As a kubelet has it. */
        @Override
        long little(Resources has) {
            return 100L << 20;
        }
    },
    DISK("DiskPressure", "HasNoDiskPressure", "HasDiskPressure", "disk space") {
        @Override
        long left(Resources has) {
            return has.diskBytes() == 0 ? Long.MAX_VALUE : has.diskAvailableBytes();
        }

        /** What the log needs to go on. A tenth of the disk, as a kubelet has it, is a lot on a server full of volumes. */
        @Override
        long little(Resources has) {
            return 256L << 20;
        }
    },
    PID("PIDPressure", "HasSufficientPID", "HasInsufficientPID", "process numbers") {
        @Override
        long left(Resources has) {
            return has.maxTasks() == 0 ? Long.MAX_VALUE : has.maxTasks() - has.tasks();
        }

        @Override
        long little(Resources has) {
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

    abstract long left(Resources has);

    abstract long little(Resources has);

    String condition() {
        return condition;
    }

    boolean isOnUnderPressure(Resources has) {
        return left(has) < 2 * little(has);
    }

    boolean begins(Resources has) {
        return left(has) < little(has);
    }

    String reason(boolean pressed) {
        return "Mooring" + (pressed ? insufficient : sufficient);
    }

    String message(boolean pressed) {
        return pressed ? "Mooring finds too little " + what + " left" : "Mooring finds enough " + what + " left";
    }
}
