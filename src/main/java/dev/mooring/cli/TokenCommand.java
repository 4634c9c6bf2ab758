package dev.mooring.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.server.ExitCode;
import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mooring token}: manages the tokens of a running server. */
@Command(
        name = "token",
        description = "Create, list and revoke the tokens of other users and nodes; create links to the web page.",
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
                .addSubcommand(new TokenPageCommand(environment))
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
        throw new ParameterException(spec.commandLine(), "Missing command; expected one of create, list, page, revoke");
    }

    /** {@code mooring token revoke}: revokes a token; its next request is refused. */
    @Command(name = "revoke", description = "Revoke a token permanently, effective immediately.")
    private static final class TokenRevokeCommand implements Callable<Integer> {
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

    /** {@code mooring token page}: prints a link that signs in to the web page once. */
    @Command(name = "page", description = "Create a link that signs in to the web page once, within 10 minutes.")
    private static final class TokenPageCommand implements Callable<Integer> {
        private final ProcessEnvironment environment;

        @Mixin
        private ServerOption server;

        TokenPageCommand(ProcessEnvironment environment) {
            this.environment = environment;
        }

        @Override
        public Integer call() throws IOException {
            ServerAccess access = server.access(environment.environment());
            ObjectNode code = ServerOption.client(access)
                    .create("/apis/mooring.dev/v1/signincodes", JsonNodeFactory.instance.objectNode());
            environment.out().println(access.server() + code.path("path").asText());
            return ExitCode.OK.number();
        }
    }

    /** {@code mooring token list}: lists tokens, without their hashes. */
    @Command(name = "list", description = "List the tokens, without their secrets.")
    static final class TokenListCommand implements Callable<Integer> {
        private static final List<String> HEADER =
                List.of("NAME", "USER", "ROLE", "NAMESPACES", "EXPIRES", "CREATED", "NOTE");

        private final ProcessEnvironment environment;

        @Mixin
        private ServerOption server;

        @Option(
                names = {"-o", "--output"},
                defaultValue = "text",
                description = "text or json (${DEFAULT-VALUE}).")
        private OutputFormat output;

        TokenListCommand(ProcessEnvironment environment) {
            this.environment = environment;
        }

        @Override
        public Integer call() throws IOException {
            List<ObjectNode> tokens = ServerOption.client(server.access(environment.environment()))
                    .list(TokenCommand.PATH);
            if (output == OutputFormat.JSON) {
                ArrayNode shown = JsonNodeFactory.instance.arrayNode();
                tokens.forEach(token -> shown.add(withoutHash(token)));
                environment.out().println(shown.toPrettyString());
            } else if (tokens.isEmpty()) {
                environment.err().println("No tokens except the one in the server's kubeconfig");
            } else {
                print(tokens);
            }
            return ExitCode.OK.number();
        }

        static ObjectNode withoutHash(ObjectNode token) {
            ObjectNode shown = JsonNodeFactory.instance.objectNode();
            shown.put("name", text(token.path("metadata"), "name"));
            token.path("spec").properties().stream()
                    .filter(field -> !field.getKey().equals("sha256"))
                    .forEach(field -> shown.set(field.getKey(), field.getValue()));
            String created = text(token.path("metadata"), "creationTimestamp");
            return created.isEmpty() ? shown : shown.put("created", created);
        }

        private void print(List<ObjectNode> tokens) {
            List<List<String>> rows = new ArrayList<>();
            rows.add(HEADER);
            tokens.forEach(token -> rows.add(row(token)));
            environment.out().print(TextColumns.align(rows, TextColumns.TABLE));
        }

        private List<String> row(ObjectNode token) {
            JsonNode metadata = token.path("metadata");
            JsonNode fields = token.path("spec");
            return List.of(
                    text(metadata, "name"),
                    text(fields, "user"),
                    fields.path("serviceAccount").isObject() ? "-" : text(fields, "role"),
                    namespaces(fields),
                    expires(text(fields, "expires")),
                    text(metadata, "creationTimestamp"),
                    text(fields, "note"));
        }

        private static String namespaces(JsonNode fields) {
            if (fields.path("serviceAccount").isObject()) {
                return text(fields.path("serviceAccount"), "namespace");
            }
            StringJoiner names = new StringJoiner(",");
            names.setEmptyValue("*");
            fields.path("namespaces").forEach(name -> names.add(printable(name.asText(""))));
            return names.toString();
        }

        private String expires(String text) {
            if (text.isEmpty()) {
                return "never";
            }
            try {
                Instant end = OffsetDateTime.parse(text).toInstant();
                return environment.clock().instant().isBefore(end) ? text : "expired";
            } catch (DateTimeParseException e) {
                return text;
            }
        }

        private static String text(JsonNode object, String field) {
            return printable(object.path(field).asText(""));
        }

        /** Escapes control characters, so that a note cannot manipulate the terminal. */
        private static String printable(String text) {
            return text.chars().noneMatch(Character::isISOControl) ? text : text.replaceAll("\\p{Cntrl}", " ");
        }
    }
}
