package dev.mooring.cli;

import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code mooring token}: who may use a running server, and as what. */
@Command(
        name = "token",
        description = "Make, list and revoke the tokens with which others use the server.",
        synopsisSubcommandLabel = "COMMAND")
final class TokenCommand implements Runnable {
    /** Where the API has them. */
    static final String PATH = "/apis/mooring.dev/v1/tokens";

    private static final int MAX_NAME = 253;
    private static final Pattern NAME =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    @Spec
    private CommandSpec spec;

    static CommandLine line(Ambient ambient) {
        return new CommandLine(new TokenCommand())
                .addSubcommand(new TokenCreateCommand(ambient))
                .addSubcommand(new TokenListCommand(ambient))
                .addSubcommand(new TokenRevokeCommand(ambient));
    }

    /** The name, if it can be one: it becomes part of a path and of the token. */
    static String requireName(String name, CommandSpec spec) {
        if (name.length() > MAX_NAME || !NAME.matcher(name).matches()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Expected a name of lower-case letters, digits, '-' and '.', but got \"" + name + "\"");
        }
        return name;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Expected one of create, list, revoke, but got none");
    }
}
