package dev.mooring.cli;

import dev.mooring.server.ProcessEnvironment;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code mooring token}: manages the tokens of a running server. */
@Command(
        name = "token",
        description = "Create, list and revoke the tokens of other users and nodes.",
        synopsisSubcommandLabel = "COMMAND")
final class TokenCommand implements Runnable {
    /** API path of tokens. */
    static final String PATH = "/apis/mooring.dev/v1/tokens";

    private static final int MAX_NAME = 253;
    private static final Pattern NAME =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    @Spec
    private CommandSpec spec;

    static CommandLine line(ProcessEnvironment environment) {
        return new CommandLine(new TokenCommand())
                .addSubcommand(new TokenCreateCommand(environment))
                .addSubcommand(new TokenListCommand(environment))
                .addSubcommand(new TokenRevokeCommand(environment));
    }

    /** Validates the name, which becomes part of a path and of the token. */
    static String requireName(String name, CommandSpec spec) {
        if (name.length() > MAX_NAME || !NAME.matcher(name).matches()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "The name must consist of lower-case letters, digits, '-' and '.', got \"" + name + "\"");
        }
        return name;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing command; expected one of create, list, revoke");
    }
}
