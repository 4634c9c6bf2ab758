package dev.mooring;

import dev.mooring.cli.Cli;
import dev.mooring.server.ProcessEnvironment;

/** Entry point of the program. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.exit(new Cli(ProcessEnvironment.ofThisProcess()).run(args));
    }
}
