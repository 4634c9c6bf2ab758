package dev.mooring.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.auth.MintedToken;
import dev.mooring.api.auth.TokenMint;
import dev.mooring.cli.client.ServerAccess;
import dev.mooring.cli.client.ServerOption;
import dev.mooring.cli.client.UserKubeconfig;
import dev.mooring.cli.config.TimeSpan;
import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code mooring token create}: makes a token. The secret is made here and the server is told its hash only; it is printed, or written to a kubeconfig,
 * once.
 */
@Command(
        name = "create",
        description = "Make a token and print it. It cannot be shown again.",
        footer = {
            "",
            "Roles: admin  everything",
            "       edit   claims, Pods, ConfigMaps and Secrets in its namespaces",
            "       view   everything but Secrets, to be read only; in its namespaces, if it has any",
            "       node   the agent of the Node called NAME"
        })
final class TokenCreateCommand implements Callable<Integer> {
    /** Roles that can be given. */
    enum Role {
        admin,
        edit,
        view,
        node
    }

    private final Ambient ambient;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ServerOption server;

    @Parameters(paramLabel = "NAME", description = "What the token is called, to list and to revoke it.")
    private String name;

    @Option(names = "--role", paramLabel = "ROLE", required = true, description = "${COMPLETION-CANDIDATES}.")
    private Role role;

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NS",
            description = "Where the role holds; may be given several times. '*' is everywhere.")
    private List<String> namespaces = new ArrayList<>();

    @Option(
            names = "--user",
            paramLabel = "USER",
            description = "The actor in the log (NAME; for a node system:node:NAME).")
    private String user;

    @Option(names = "--expires", paramLabel = "TIME", description = "After which time it ends: 30d, 12h, 90m (never).")
    private String expires;

    @Option(names = "--note", paramLabel = "TEXT", description = "What it is for.")
    private String note;

    @Option(
            names = "--kubeconfig-out",
            paramLabel = "FILE",
            description = "Write a kubeconfig for its user to a new file (mode 0600) instead of printing the token.")
    private Path kubeconfigOut;

    @Option(
            names = {"-o", "--output"},
            defaultValue = "text",
            description = "text or json (${DEFAULT-VALUE}).")
    private OutputFormat output;

    TokenCreateCommand(Ambient ambient) {
        this.ambient = ambient;
    }

    @Override
    public Integer call() throws IOException {
        TokenCommand.requireName(name, spec);
        if (role == Role.edit && namespaces.isEmpty()) {
            throw usage("Expected --namespace with --role edit, but got none (--namespace '*' is everywhere)");
        }
        if (!namespaces.isEmpty() && (role == Role.admin || role == Role.node)) {
            throw usage("Expected no --namespace with --role " + role + ", which holds everywhere");
        }
        MintedToken minted = new TokenMint(ambient.secureRandom()).mint(name);
        ObjectNode token = token(minted.sha256());
        ServerAccess access = server.access(ambient.environment());
        if (kubeconfigOut == null) {
            ServerOption.client(access).create(TokenCommand.PATH, token);
        } else {
            createWithKubeconfig(access, token, minted);
        }
        print(token, minted);
        return ExitCode.OK.number();
    }

    private void createWithKubeconfig(ServerAccess access, ObjectNode token, MintedToken minted) throws IOException {
        UserKubeconfig kubeconfig = UserKubeconfig.reserve(kubeconfigOut);
        try {
            ServerOption.client(access).create(TokenCommand.PATH, token);
        } catch (MooringException e) {
            kubeconfig.abandon();
            throw e;
        }
        kubeconfig.write(access, userName(), minted.text());
    }

    private ObjectNode token(String sha256) {
        ObjectNode token = JsonNodeFactory.instance
                .objectNode()
                .put("apiVersion", "mooring.dev/v1")
                .put("kind", "Token");
        token.putObject("metadata").put("name", name);
        ObjectNode fields = token.putObject("spec").put("user", userName()).put("role", role.name());
        if (!namespaces.isEmpty()) {
            namespaces.forEach(fields.putArray("namespaces")::add);
        }
        fields.put("sha256", sha256);
        if (expires != null) {
            fields.put("expires", end(expires));
        }
        if (note != null) {
            fields.put("note", note);
        }
        return token;
    }

    /** In whole seconds, as Kubernetes writes times. */
    private String end(String lifetime) {
        try {
            Duration length = TimeSpan.parse(lifetime);
            if (!length.isZero()) {
                return ambient.clock()
                        .instant()
                        .plus(length)
                        .truncatedTo(ChronoUnit.SECONDS)
                        .toString();
            }
        } catch (IllegalArgumentException | DateTimeException e) {
            // said below
        }
        throw usage("Expected --expires as 30d, 12h or 90m, but got \"" + lifetime + "\"");
    }

    private String userName() {
        return Optional.ofNullable(user).orElse(role == Role.node ? "system:node:" + name : name);
    }

    private void print(ObjectNode token, MintedToken minted) {
        if (output == OutputFormat.JSON) {
            ObjectNode shown = TokenListCommand.withoutHash(token);
            if (kubeconfigOut == null) {
                shown.put("token", minted.text());
            } else {
                shown.put("kubeconfig", kubeconfigOut.toString());
            }
            ambient.out().println(shown.toPrettyString());
        } else if (kubeconfigOut == null) {
            ambient.out().println(minted.text());
        } else {
            ambient.err().println("Wrote the kubeconfig of " + userName() + " to " + kubeconfigOut);
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
