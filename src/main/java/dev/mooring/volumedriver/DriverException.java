package dev.mooring.volumedriver;

/** A request of Docker that failed; the message is for the user: the object, the problem and the remedy. */
final class DriverException extends Exception {
    private static final long serialVersionUID = 1;

    DriverException(String message) {
        super(message);
    }
}
