package dev.mooring.host;

/** Runs programs of the machine. An interface, so that tests can replace the machine. Thread-safe; blocks. */
public interface CommandRunner {
    /**
     * Runs a program and waits until it ends, whatever the exit code.
     *
     * @throws CommandException if it could not be started or did not end in time
     * @throws InterruptedException if the thread was interrupted; the program is killed
     */
    CommandResult run(Command command) throws CommandException, InterruptedException;
}
