package dev.mooring.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.cli.client.ApiClient;
import dev.mooring.cli.client.ServerAccess;
import dev.mooring.cli.client.ServerOption;
import dev.mooring.cli.config.TimeSpan;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What all commands of {@code mooring chaos} have in common: which server, how it is asked, and how its answer is printed. */
final class ChaosCall {
    private static final String PATH = "/apis/mooring.dev/v1/chaos";

    /** What a server says of a path that it does not have. */
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

    /** Has something done and says so. */
    int perform(Ambient ambient, String action, ObjectNode body) throws IOException {
        ObjectNode done = ask(ambient, client -> client.create(PATH + '/' + action, body));
        if (isJson()) {
            ambient.out().println(done.toPrettyString());
        } else {
            ambient.err().println("Done: " + done.path("message").asText());
        }
        if (!done.path("recorded").asBoolean(false)) {
            ambient.err().println("History does not have it yet: the ledger did not answer in time");
        }
        return ExitCode.OK.number();
    }

    /** How things stand. */
    ObjectNode report(Ambient ambient) throws IOException {
        return ask(ambient, client -> client.get(PATH));
    }

    private ObjectNode ask(Ambient ambient, Function<ApiClient, ObjectNode> question) throws IOException {
        ServerAccess access = server.access(ambient.environment());
        try {
            return question.apply(ServerOption.client(access));
        } catch (MooringException e) {
            if (e.exitCode() == ExitCode.NOT_FOUND && e.getMessage().contains(NO_SUCH_PATH)) {
                throw new MooringException(
                        ExitCode.FAILED,
                        "Expected a server that has faults on demand at " + access.server()
                                + ", but it was not configured to; next: start it with chaos.enabled: true in its"
                                + " configuration, or with MOORING_CHAOS_ENABLED=true in its environment",
                        e);
            }
            throw e;
        }
    }

    /** In seconds, as the server takes it. */
    double seconds(String option, String text) {
        try {
            Duration length = TimeSpan.parse(text);
            if (!length.isZero()) {
                return length.toMillis() / MILLIS;
            }
        } catch (IllegalArgumentException | ArithmeticException e) {
            // said below
        }
        throw new ParameterException(
                spec.commandLine(), "Expected " + option + " as 500ms, 30s or 5m, but got \"" + text + '"');
    }
}
