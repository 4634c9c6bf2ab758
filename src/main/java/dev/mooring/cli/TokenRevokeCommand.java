package dev.mooring.cli;

import dev.mooring.cli.client.ServerOption;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mooring token revoke}: ends a token with the next request that carries it. */
@Command(name = "revoke", description = "End a token, at once and for good.")
final class TokenRevokeCommand implements Callable<Integer> {
    private final Ambient ambient;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ServerOption server;

    @Parameters(paramLabel = "NAME", description = "As mooring token list shows it.")
    private String name;

    TokenRevokeCommand(Ambient ambient) {
        this.ambient = ambient;
    }

    @Override
    public Integer call() throws IOException {
        TokenCommand.requireName(name, spec);
        ServerOption.client(server.access(ambient.environment())).delete(TokenCommand.PATH + '/' + name);
        ambient.err().println("Revoked token " + name);
        return ExitCode.OK.number();
    }
}
