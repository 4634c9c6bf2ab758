package dev.mooring.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.auth.TokenMint;
import dev.mooring.model.TimeSpan;
import dev.mooring.server.ExitCode;
import dev.mooring.server.MooringException;
import dev.mooring.server.ProcessEnvironment;
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
 * {@code mooring token create}: creates a token. The command generates the secret and sends only its hash to the
 * server; the secret is printed, or written to a kubeconfig, once.
 */
@Command(
        name = "create",
        description = "Create a token and print it. It cannot be shown again.",
        footer = {
            "",
            "Roles: admin  everything",
            "       edit   claims, Pods, ConfigMaps and Secrets in its namespaces",
            "       view   read access to everything but Secrets; only in its namespaces, if it has any",
            "       node   the agent of the Node called NAME"
        })
final class TokenCreateCommand implements Callable<Integer> {
    /** Roles of tokens. */
    enum TokenRole {
        admin,
        edit,
        view,
        node
    }

    private static final String NEVER = "never";

    private final ProcessEnvironment environment;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ServerOption server;

    @Parameters(paramLabel = "NAME", description = "Name of the token.")
    private String name;

    @Option(names = "--role", paramLabel = "ROLE", required = true, description = "${COMPLETION-CANDIDATES}.")
    private TokenRole role;

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NS",
            description = "Namespace of the role; may be repeated. '*' means all.")
    private List<String> namespaces = new ArrayList<>();

    @Option(
            names = "--user",
            paramLabel = "USER",
            description = "User name in the log (NAME; for a node system:node:NAME).")
    private String user;

    @Option(
            names = "--expires",
            paramLabel = "TIME",
            defaultValue = "365d",
            description = "Lifetime: 30d, 12h, 90m, or never (${DEFAULT-VALUE}).")
    private String expires;

    @Option(names = "--note", paramLabel = "TEXT", description = "Purpose of the token.")
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

    TokenCreateCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        TokenCommand.requireName(name, spec);
        if (role == TokenRole.edit && namespaces.isEmpty()) {
            throw usage("--role edit requires --namespace (--namespace '*' means all namespaces)");
        }
        if (!namespaces.isEmpty() && (role == TokenRole.admin || role == TokenRole.node)) {
            throw usage("--namespace is not allowed with --role " + role + ", which applies to all namespaces");
        }
        TokenMint.MintedToken minted = new TokenMint(environment.secureRandom()).mint(name);
        ObjectNode token = token(minted.sha256());
        ServerAccess access = server.access(environment.environment());
        if (kubeconfigOut == null) {
            ServerOption.client(access).create(TokenCommand.PATH, token);
        } else {
            createWithKubeconfig(access, token, minted);
        }
        print(token, minted);
        if (expires.equals(NEVER)) {
            environment
                    .err()
                    .println(
                            "Warning: token " + name + " never expires; if it leaks, it can be used until it is revoked"
                                    + " (mooring token revoke " + name + ")");
        }
        return ExitCode.OK.number();
    }

    private void createWithKubeconfig(ServerAccess access, ObjectNode token, TokenMint.MintedToken minted)
            throws IOException {
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
        if (!expires.equals(NEVER)) {
            fields.put("expires", end(expires));
        }
        if (note != null) {
            fields.put("note", note);
        }
        return token;
    }

    /** Returns the expiry time in whole seconds, Kubernetes' time format. */
    private String end(String lifetime) {
        try {
            Duration length = TimeSpan.parse(lifetime);
            if (!length.isZero()) {
                return environment
                        .clock()
                        .instant()
                        .plus(length)
                        .truncatedTo(ChronoUnit.SECONDS)
                        .toString();
            }
        } catch (IllegalArgumentException | DateTimeException e) {
            // Reported below.
        }
        throw usage("--expires must be a duration such as 30d, 12h or 90m, or never, got \"" + lifetime + "\"");
    }

    private String userName() {
        return Optional.ofNullable(user).orElse(role == TokenRole.node ? "system:node:" + name : name);
    }

    private void print(ObjectNode token, TokenMint.MintedToken minted) {
        if (output == OutputFormat.JSON) {
            ObjectNode shown = TokenCommand.TokenListCommand.withoutHash(token);
            if (kubeconfigOut == null) {
                shown.put("token", minted.text());
            } else {
                shown.put("kubeconfig", kubeconfigOut.toString());
            }
            environment.out().println(shown.toPrettyString());
        } else if (kubeconfigOut == null) {
            environment.out().println(minted.text());
        } else {
            environment.err().println("Wrote the kubeconfig of " + userName() + " to " + kubeconfigOut);
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
