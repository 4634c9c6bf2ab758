package dev.mooring.server;

/** Exit codes of all commands; stable, because scripts depend on them. */
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
