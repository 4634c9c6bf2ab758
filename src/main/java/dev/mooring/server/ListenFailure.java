package dev.mooring.server;

import java.net.BindException;
import java.net.UnknownHostException;

/** Explains why the server cannot listen on its address. */
final class ListenFailure {
    private ListenFailure() {}

    /** Returns a failure with an explanation, or the cause itself if it is of another kind. */
    static Throwable of(Throwable cause, ListenAddress listen) {
        if (cause instanceof BindException) {
            return new MooringException(
                    ExitCode.FAILED,
                    "Cannot listen on " + listen + ": " + cause.getMessage() + "; next: "
                            + next(String.valueOf(cause.getMessage()), listen),
                    cause);
        }
        if (cause instanceof UnknownHostException) {
            return new MooringException(
                    ExitCode.FAILED,
                    "Cannot listen on " + listen + ": no such host; next: correct --listen HOST:PORT",
                    cause);
        }
        return cause;
    }

    private static String next(String reason, ListenAddress listen) {
        if (reason.contains("Permission denied")) {
            return "choose a port from 1024 up with --listen HOST:PORT, or run mooring as root: other users need"
                    + " CAP_NET_BIND_SERVICE for ports below 1024";
        }
        if (reason.contains("Cannot assign requested address")) {
            return "choose an address of this machine with --listen HOST:PORT (`ip -br address` lists them)";
        }
        return "see which process listens there with: ss -ltnp 'sport = :" + listen.port()
                + "', or choose another address with --listen HOST:PORT";
    }
}
