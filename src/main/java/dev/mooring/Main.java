package dev.mooring;

import dev.mooring.cli.Ambient;
import dev.mooring.cli.Cli;

/** Starts the command line. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.exit(new Cli(Ambient.ofThisProcess()).run(args));
    }
}
