package dev.mooring.cli;

import dev.mooring.server.ExitCode;
import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mooring token revoke}: revokes a token; its next request is refused. */
@Command(name = "revoke", description = "Revoke a token permanently, effective immediately.")
final class TokenRevokeCommand implements Callable<Integer> {
    private final ProcessEnvironment environment;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ServerOption server;

    @Parameters(paramLabel = "NAME", description = "Token name, as in mooring token list.")
    private String name;

    TokenRevokeCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        TokenCommand.requireName(name, spec);
        ServerOption.client(server.access(environment.environment())).delete(TokenCommand.PATH + '/' + name);
        environment.err().println("Revoked token " + name);
        return ExitCode.OK.number();
    }
}
