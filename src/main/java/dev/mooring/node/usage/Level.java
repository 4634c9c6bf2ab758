package dev.mooring.node.usage;

/** How full a volume is, in the words that matter. Who has reached a level leaves it only when it is clearly below. */
enum Level {
    NORMAL(0),
    HIGH(85),
    CRITICAL(95);

    /** In percent: a volume that goes to and fro at the border is told of once. */
    private static final int SLACK = 2;

    private final int from;

    Level(int from) {
        this.from = from;
    }

    /** The level of one that was at this one and is now so full. */
    Level next(double percent) {
        Level reached = NORMAL;
        for (Level each : values()) {
            int border = each.compareTo(this) <= 0 ? each.from - SLACK : each.from;
            if (percent >= border) {
                reached = each;
            }
        }
        return reached;
    }
}
