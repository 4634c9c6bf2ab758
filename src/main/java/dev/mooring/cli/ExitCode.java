package dev.mooring.cli;

/** Exit codes of every command, as promised to scripts. */
public enum ExitCode {
    OK(0),
    FAILED(1),
    USAGE(2),
    NOT_FOUND(3),
    CONFLICT(4),
    TIMEOUT(5),
    LOG_DAMAGED(6);

    private final int number;

    ExitCode(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }
}
