package dev.mooring.node.monitor;

/** Usage thresholds of a volume, with hysteresis. */
enum UsageLevel {
    NORMAL(0),
    HIGH(85),
    CRITICAL(95);

    /** Hysteresis in percentage points, so that a volume near a threshold causes one Event only. */
    private static final int SLACK = 2;

    private final int from;

    UsageLevel(int from) {
        this.from = from;
    }

    /** Returns the new level of a volume at this level with the given usage. */
    UsageLevel next(double percent) {
        UsageLevel reached = NORMAL;
        for (UsageLevel each : values()) {
            int border = each.compareTo(this) <= 0 ? each.from - SLACK : each.from;
            if (percent >= border) {
                reached = each;
            }
        }
        return reached;
    }
}
