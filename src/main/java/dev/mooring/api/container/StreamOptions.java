package dev.mooring.api.container;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.container.ContainerAccess.Streams;
import java.util.List;

/**
 * The options of an exec or attach request: Kubernetes' PodExecOptions and PodAttachOptions. Immutable.
 *
 * @param command empty for attach
 */
record StreamOptions(String container, List<String> command, Streams streams) {
    StreamOptions {
        command = List.copyOf(command);
    }

    static StreamOptions exec(ContainerRequestParameters given) {
        List<String> command = given.texts("command");
        if (command.isEmpty()) {
            throw bad("you must specify at least one command for the container");
        }
        return new StreamOptions(given.text("container"), command, streams(given));
    }

    static StreamOptions attach(ContainerRequestParameters given) {
        return new StreamOptions(given.text("container"), List.of(), streams(given));
    }

    /** Returns a copy with the terminal setting that the process was started with. */
    StreamOptions withTty(boolean tty) {
        Streams wanted = new Streams(streams.stdin(), streams.stdout(), streams.stderr() && !tty, tty);
        return new StreamOptions(container, command, wanted);
    }

    private static Streams streams(ContainerRequestParameters given) {
        boolean tty = given.flag("tty");
        // A terminal combines both streams; Kubernetes also omits the second one.
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
