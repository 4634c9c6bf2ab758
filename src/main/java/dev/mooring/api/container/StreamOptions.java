package dev.mooring.api.container;

import dev.mooring.api.container.ContainerAccess.Streams;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import java.util.List;

/**
 * What a request to run something in a container, or to join it, asks for: Kubernetes' PodExecOptions and PodAttachOptions. Immutable.
 *
 * @param command empty to join
 */
record StreamOptions(String container, List<String> command, Streams streams) {
    StreamOptions {
        command = List.copyOf(command);
    }

    static StreamOptions exec(Parameters given) {
        List<String> command = given.texts("command");
        if (command.isEmpty()) {
            throw bad("you must specify at least one command for the container");
        }
        return new StreamOptions(given.text("container"), command, streams(given));
    }

    static StreamOptions attach(Parameters given) {
        return new StreamOptions(given.text("container"), List.of(), streams(given));
    }

    /** Whether a process runs on a terminal was decided when it was started. */
    StreamOptions onTerminal(boolean tty) {
        Streams wanted = new Streams(streams.stdin(), streams.stdout(), streams.stderr() && !tty, tty);
        return new StreamOptions(container, command, wanted);
    }

    private static Streams streams(Parameters given) {
        boolean tty = given.flag("tty");
        // With a terminal both come as one; Kubernetes too leaves the second one out.
        boolean stderr = given.flag("stderr") && !tty;
        Streams wanted = new Streams(given.flag("stdin"), given.flag("stdout"), stderr, tty);
        if (!wanted.stdin() && !wanted.stdout() && !wanted.stderr()) {
            throw bad("you must specify at least 1 of stdin, stdout, stderr");
        }
        return wanted;
    }

    private static StatusException bad(String message) {
        return new StatusException(Status.badRequest(message));
    }
}
