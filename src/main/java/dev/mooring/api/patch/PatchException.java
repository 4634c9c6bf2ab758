package dev.mooring.api.patch;

/** A patch that cannot be applied. The message is for users, as in kube-apiserver. */
public final class PatchException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private static final int BAD_REQUEST = 400;
    private static final int TOO_LARGE = 413;
    private static final int UNPROCESSABLE = 422;

    /** kube-apiserver's message for a well-formed patch that does not fit the object. */
    private static final String NOT_APPLICABLE = "the server rejected our request due to an error in our request";

    private final int status;
    private final String detail;

    private PatchException(int status, String message, String detail) {
        super(message);
        this.status = status;
        this.detail = detail;
    }

    /** Returns the error for a malformed patch. */
    static PatchException malformed(String message) {
        return new PatchException(BAD_REQUEST, message, message);
    }

    /** Returns the error for a well-formed patch that does not fit the object. */
    static PatchException notApplicable(String detail) {
        return new PatchException(UNPROCESSABLE, NOT_APPLICABLE, detail);
    }

    /** Returns the error for a patch that requires too much work. */
    static PatchException tooLarge(String what) {
        String message = "Request entity too large: " + what;
        return new PatchException(TOO_LARGE, message, message);
    }

    static PatchException tooDeep() {
        return malformed("exceeded max depth");
    }

    /** Returns the HTTP status: 400, 413 or 422. */
    public int status() {
        return status;
    }

    /** Returns the exact problem for logs; the message may be less specific. */
    public String detail() {
        return detail;
    }
}
