package dev.mooring.testing;

/** How a run of the suite went, in numbers. A container that could not be set up counts as one failed test. */
record SuiteSummary(long passed, long failed, long skipped) {

    boolean successful() {
        return failed == 0 && passed > 0;
    }

    String line() {
        return passed + " passed, " + failed + " failed, " + skipped + " skipped";
    }
}
