package dev.mooring.model;

/**
 * The cause of an event: an earlier revision, an external request, or unknown.
 *
 * @param revision the earlier event, or 0
 * @param request the id of the request, or ""
 */
public record Cause(long revision, String request) {
    private static final Cause NONE = new Cause(0, "");

    public static Cause none() {
        return NONE;
    }

    public static Cause of(long revision, String request) {
        return revision == 0 && request.isEmpty() ? NONE : new Cause(revision, request);
    }

    public static Cause revision(long revision) {
        return of(revision, "");
    }

    public static Cause request(String id) {
        return of(0, id);
    }

    @Override
    public String toString() {
        if (revision == 0) {
            return request.isEmpty() ? "-" : "request " + request;
        }
        return request.isEmpty() ? "revision " + revision : "revision " + revision + ", request " + request;
    }
}
