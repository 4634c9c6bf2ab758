package dev.mooring.cli;

import dev.mooring.cli.config.ListenAddress;
import java.net.BindException;
import java.net.UnknownHostException;

/** Why the server cannot listen where it should, in words for whoever started it. */
final class ListenFailure {
    private ListenFailure() {}

    /** The cause itself, if it is another kind of failure. */
    static Throwable of(Throwable cause, ListenAddress listen) {
        if (cause instanceof BindException) {
            return new MooringException(
                    ExitCode.FAILED,
                    "Expected to listen on " + listen + ", but the system refuses it (" + cause.getMessage()
                            + "); next: see who does with: ss -ltnp 'sport = :" + listen.port()
                            + "', or choose another address with --listen HOST:PORT",
                    cause);
        }
        if (cause instanceof UnknownHostException) {
            return new MooringException(
                    ExitCode.FAILED,
                    "Expected to listen on " + listen + ", but there is no such host; next: correct --listen HOST:PORT",
                    cause);
        }
        return cause;
    }
}
