package dev.mooring.bench;

/** The goal of a figure. Reported, never enforced: a busy machine is not a defect. */
record Goal(GoalSubject subject, GoalBound bound, double limit) {
    private enum GoalSubject {
        MEASURED,
        RATIO,
        NOTHING
    }

    private enum GoalBound {
        AT_LEAST("≥ "),
        BELOW("< ");

        private final String sign;

        GoalBound(String sign) {
            this.sign = sign;
        }
    }

    static final Goal NONE = new Goal(GoalSubject.NOTHING, GoalBound.AT_LEAST, 0);

    static Goal atLeast(double limit) {
        return new Goal(GoalSubject.MEASURED, GoalBound.AT_LEAST, limit);
    }

    static Goal below(double limit) {
        return new Goal(GoalSubject.MEASURED, GoalBound.BELOW, limit);
    }

    static Goal ratioAtLeast(double limit) {
        return new Goal(GoalSubject.RATIO, GoalBound.AT_LEAST, limit);
    }

    static Goal ratioBelow(double limit) {
        return new Goal(GoalSubject.RATIO, GoalBound.BELOW, limit);
    }

    String text(Figure figure) {
        return switch (subject) {
            case NOTHING -> "";
            case RATIO -> bound.sign + MeasureUnit.TIMES.text(limit);
            case MEASURED -> bound.sign + figure.unit().text(limit);
        };
    }

    /** Returns "met", "missed", or "" without a goal. */
    String verdict(Figure figure) {
        if (subject == GoalSubject.NOTHING) {
            return "";
        }
        double found = subject == GoalSubject.RATIO
                ? figure.ratio().orElseThrow().median()
                : figure.measured().median();
        boolean met = bound == GoalBound.AT_LEAST ? found >= limit : found < limit;
        return met ? "met" : "missed";
    }
}
