package dev.mooring.sim;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** A program of its own: lives the short lives of so many seeds from 1 on, and prints the trace of each. */
public final class Traces {
    static final String TOLD = "trace ";

    private Traces() {}

    public static void main(String[] args) {
        Quiet.please();
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (long seed = 1; seed <= Long.parseLong(args[0]); seed++) {
            out.println(TOLD + of(seed));
        }
        System.exit(0);
    }

    static long of(long seed) {
        return new Life(Plan.of(seed, Plan.FEW_ACTS)).live().trace();
    }
}
