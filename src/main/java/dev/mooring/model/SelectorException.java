package dev.mooring.model;

/** Thrown for an invalid selector. The message is Kubernetes' own, for the user: a bad request. */
public final class SelectorException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public SelectorException(String message) {
        super(message);
    }
}
