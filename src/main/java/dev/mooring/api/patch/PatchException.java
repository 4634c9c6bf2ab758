package dev.mooring.api.patch;

/** A patch that cannot be applied. The message is what the user sees, in the words of kube-apiserver. */
public final class PatchException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private static final int BAD_REQUEST = 400;
    private static final int TOO_LARGE = 413;
    private static final int UNPROCESSABLE = 422;

    /** All that kube-apiserver says of a patch that is well-formed but does not fit the object. */
    private static final String DOES_NOT_FIT = "the server rejected our request due to an error in our request";

    private final int status;
    private final String detail;

    private PatchException(int status, String message, String detail) {
        super(message);
        this.status = status;
        this.detail = detail;
    }

    /** The patch makes no sense. */
    static PatchException malformed(String message) {
        return new PatchException(BAD_REQUEST, message, message);
    }

    /** The patch makes sense, but not for this object. */
    static PatchException unfit(String detail) {
        return new PatchException(UNPROCESSABLE, DOES_NOT_FIT, detail);
    }

    /** The patch asks for too much work. */
    static PatchException tooLarge(String what) {
        String message = "Request entity too large: " + what;
        return new PatchException(TOO_LARGE, message, message);
    }

    static PatchException tooDeep() {
        return malformed("exceeded max depth");
    }

    /** The code of HTTP to answer with: 400, 413 or 422. */
    public int status() {
        return status;
    }

    /** What exactly is wrong, which the message does not always say: for logs. */
    public String detail() {
        return detail;
    }
}
