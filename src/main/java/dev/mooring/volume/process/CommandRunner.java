package dev.mooring.volume.process;

/** Runs programs of the machine. A port, so that a test can play the machine. Any thread; blocks. */
public interface CommandRunner {
    /**
     * Waits until it has ended, however it ended.
     *
     * @throws CommandException if it could not be started or did not end in time
     * @throws InterruptedException if the thread was; the program is then killed
     */
    CommandResult run(Command command) throws CommandException, InterruptedException;
}
