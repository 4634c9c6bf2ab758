package dev.mooring.bench;

/** What a figure should be. Reported, never enforced: a busy machine is no mistake in the code. */
record Goal(Subject subject, Bound bound, double limit) {
    private enum Subject {
        MEASURED,
        RATIO,
        NOTHING
    }

    private enum Bound {
        AT_LEAST("≥ "),
        BELOW("< ");

        private final String sign;

        Bound(String sign) {
            this.sign = sign;
        }
    }

    static final Goal NONE = new Goal(Subject.NOTHING, Bound.AT_LEAST, 0);

    static Goal atLeast(double limit) {
        return new Goal(Subject.MEASURED, Bound.AT_LEAST, limit);
    }

    static Goal below(double limit) {
        return new Goal(Subject.MEASURED, Bound.BELOW, limit);
    }

    static Goal ratioAtLeast(double limit) {
        return new Goal(Subject.RATIO, Bound.AT_LEAST, limit);
    }

    static Goal ratioBelow(double limit) {
        return new Goal(Subject.RATIO, Bound.BELOW, limit);
    }

    String text(Figure figure) {
        return switch (subject) {
            case NOTHING -> "";
            case RATIO -> bound.sign + Unit.TIMES.text(limit);
            case MEASURED -> bound.sign + figure.unit().text(limit);
        };
    }

    /** "met", "missed", or "" where there is no goal. */
    String verdict(Figure figure) {
        if (subject == Subject.NOTHING) {
            return "";
        }
        double found = subject == Subject.RATIO
                ? figure.ratio().orElseThrow().median()
                : figure.measured().median();
        boolean met = bound == Bound.AT_LEAST ? found >= limit : found < limit;
        return met ? "met" : "missed";
    }
}
