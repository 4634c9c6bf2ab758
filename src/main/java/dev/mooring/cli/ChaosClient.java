package dev.mooring.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.TimeSpan;
import dev.mooring.server.ExitCode;
import dev.mooring.server.MooringException;
import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Common code of the {@code mooring chaos} commands: selects the server, sends requests and prints responses. */
final class ChaosClient {
    private static final String PATH = "/apis/mooring.dev/v1/chaos";

    /** Part of the server's message for an unknown path. */
    private static final String NO_SUCH_PATH = "could not find the requested resource";

    private static final double MILLIS = 1000;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Mixin
    private ServerOption server;

    @Option(
            names = {"-o", "--output"},
            defaultValue = "text",
            description = "text or json (${DEFAULT-VALUE}).")
    private OutputFormat output;

    boolean isJson() {
        return output == OutputFormat.JSON;
    }

    static ObjectNode body() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** Performs an action and prints the result. */
    int perform(ProcessEnvironment environment, String action, ObjectNode body) throws IOException {
        ObjectNode done = ask(environment, client -> client.create(PATH + '/' + action, body));
        if (isJson()) {
            environment.out().println(done.toPrettyString());
        } else {
            environment.err().println("Done: " + done.path("message").asText());
        }
        if (!done.path("recorded").asBoolean(false)) {
            environment.err().println("Not recorded in the history yet: the ledger did not respond in time");
        }
        return ExitCode.OK.number();
    }

    /** Returns the chaos report of the server. */
    ObjectNode report(ProcessEnvironment environment) throws IOException {
        return ask(environment, client -> client.get(PATH));
    }

    private ObjectNode ask(ProcessEnvironment environment, Function<ApiClient, ObjectNode> question)
            throws IOException {
        ServerAccess access = server.access(environment.environment());
        try {
            return question.apply(ServerOption.client(access));
        } catch (MooringException e) {
            if (e.exitCode() == ExitCode.NOT_FOUND && e.getMessage().contains(NO_SUCH_PATH)) {
                throw new MooringException(
                        ExitCode.FAILED,
                        "Fault injection is disabled on the server at " + access.server()
                                + "; next: start it with chaos.enabled: true in its"
                                + " configuration, or with MOORING_CHAOS_ENABLED=true in its environment",
                        e);
            }
            throw e;
        }
    }

    /** Parses a duration option to seconds. */
    double seconds(String option, String text) {
        try {
            Duration length = TimeSpan.parse(text);
            if (!length.isZero()) {
                return length.toMillis() / MILLIS;
            }
        } catch (IllegalArgumentException | ArithmeticException e) {
            // Reported below.
        }
        throw new ParameterException(
                spec.commandLine(),
                option + " must be a positive duration such as 500ms, 30s or 5m, got \"" + text + '"');
    }
}
