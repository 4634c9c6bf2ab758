package dev.mooring.model.select;

/** A selector that makes no sense. The message is Kubernetes' own and meant for the user: a bad request. */
public final class SelectorException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public SelectorException(String message) {
        super(message);
    }
}
