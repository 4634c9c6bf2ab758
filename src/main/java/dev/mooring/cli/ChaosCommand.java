package dev.mooring.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.server.ExitCode;
import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mooring chaos}: injects faults into a running server that has chaos enabled. */
@Command(
        name = "chaos",
        description = {
            "Inject faults into a running server, for testing.",
            "",
            "Only if it was started with chaos.enabled: true (MOORING_CHAOS_ENABLED=true), and only for admins."
                    + " Each fault is recorded in the history and ends by itself within ten minutes."
        },
        synopsisSubcommandLabel = "COMMAND")
final class ChaosCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    static CommandLine line(ProcessEnvironment environment) {
        return new CommandLine(new ChaosCommand())
                .addSubcommand(new ChaosListCommand(environment))
                .addSubcommand(new ChaosKillCommand(environment))
                .addSubcommand(new ChaosPauseCommand(environment))
                .addSubcommand(new ChaosFailMountsCommand(environment))
                .addSubcommand(new ChaosHangServerCommand(environment))
                .addSubcommand(new ChaosMonkeyCommand(environment))
                .addSubcommand(new ChaosStopCommand(environment));
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "Missing command; expected one of list, kill, pause, fail-next-mounts, hang-server, monkey, stop");
    }

    /** {@code mooring chaos list}: lists verticles, their restarts, and armed faults. */
    @Command(name = "list", aliases = "status", description = "Show the verticles, their states, and the armed faults.")
    private static final class ChaosListCommand implements Callable<Integer> {
        private static final List<String> HEADER =
                List.of("VERTICLE", "STATE", "RESTARTS", "DEATHS IN A ROW", "UNTIL", "LAST CAUSE");

        private final ProcessEnvironment environment;

        @Mixin
        private ChaosClient call;

        ChaosListCommand(ProcessEnvironment environment) {
            this.environment = environment;
        }

        @Override
        public Integer call() throws IOException {
            ObjectNode report = call.report(environment);
            if (call.isJson()) {
                environment.out().println(report.toPrettyString());
                return ExitCode.OK.number();
            }
            List<List<String>> rows = new ArrayList<>();
            rows.add(HEADER);
            for (JsonNode each : report.path("verticles")) {
                rows.add(List.of(
                        text(each, "name"),
                        text(each, "state"),
                        text(each, "restarts"),
                        text(each, "deathsInARow"),
                        text(each, "until"),
                        text(each, "lastCause")));
            }
            environment.out().print(TextColumns.align(rows, TextColumns.TABLE));
            for (JsonNode each : report.path("faults")) {
                environment.out().println("armed: " + describe(each));
            }
            if (report.path("faults").isEmpty()) {
                environment.err().println("No faults are armed");
            }
            return ExitCode.OK.number();
        }

        private static String describe(JsonNode fault) {
            StringJoiner fields = new StringJoiner(" ");
            fault.properties().forEach(field -> {
                String value = field.getValue().isTextual()
                        ? field.getValue().asText()
                        : field.getValue().toString();
                fields.add(field.getKey().equals("fault") ? value : field.getKey() + "=" + value);
            });
            return fields.toString();
        }

        /** Returns a field as printable text on one line; causes come from arbitrary exceptions. */
        private static String text(JsonNode object, String field) {
            return TextColumns.clean(object.path(field).asText(""));
        }
    }

    /** {@code mooring chaos kill}: kills a verticle, which the supervisor restarts. */
    @Command(name = "kill", description = "Kill a verticle; the supervisor restarts it with back-off.")
    private static final class ChaosKillCommand implements Callable<Integer> {
        private final ProcessEnvironment environment;

        @Mixin
        private ChaosClient call;

        @Parameters(paramLabel = "VERTICLE", description = "Verticle name, as in mooring chaos list.")
        private String verticle;

        ChaosKillCommand(ProcessEnvironment environment) {
            this.environment = environment;
        }

        @Override
        public Integer call() throws IOException {
            return call.perform(environment, "kill", ChaosClient.body().put("verticle", verticle));
        }
    }

    /** {@code mooring chaos pause}: stops a verticle for a while. */
    @Command(name = "pause", description = "Stop a verticle for a while.")
    private static final class ChaosPauseCommand implements Callable<Integer> {
        private final ProcessEnvironment environment;

        @Mixin
        private ChaosClient call;

        @Parameters(
                paramLabel = "VERTICLE",
                defaultValue = "all",
                description = "Verticle name, as in mooring chaos list; default: all, including the API.")
        private String verticle;

        @Option(
                names = "--for",
                paramLabel = "TIME",
                defaultValue = "10s",
                description = "Duration (${DEFAULT-VALUE}), at most 10m.")
        private String length;

        ChaosPauseCommand(ProcessEnvironment environment) {
            this.environment = environment;
        }

        @Override
        public Integer call() throws IOException {
            return call.perform(
                    environment,
                    "pause",
                    ChaosClient.body().put("verticle", verticle).put("forSeconds", call.seconds("--for", length)));
        }
    }

    /** {@code mooring chaos fail-next-mounts}: makes volume set-ups fail. */
    @Command(
            name = "fail-next-mounts",
            description = "Make the next N volume set-ups for Pods fail. They are retried as usual.")
    private static final class ChaosFailMountsCommand implements Callable<Integer> {
        private final ProcessEnvironment environment;

        @Mixin
        private ChaosClient call;

        @Parameters(paramLabel = "N", description = "Number of set-ups.")
        private int count;

        @Option(names = "--node", paramLabel = "NAME", description = "Node (default: the server's node).")
        private String node;

        @Option(names = "--reason", paramLabel = "TEXT", description = "Reason in the Events of the Pods.")
        private String reason;

        @Option(
                names = "--for",
                paramLabel = "TIME",
                defaultValue = "10m",
                description = "Time after which the remaining failures are disarmed (${DEFAULT-VALUE}).")
        private String length;

        ChaosFailMountsCommand(ProcessEnvironment environment) {
            this.environment = environment;
        }

        @Override
        public Integer call() throws IOException {
            ObjectNode body = ChaosClient.body().put("count", count).put("forSeconds", call.seconds("--for", length));
            if (node != null) {
                body.put("node", node);
            }
            if (reason != null) {
                body.put("reason", reason);
            }
            return call.perform(environment, "fail-next-mounts", body);
        }
    }

    /** {@code mooring chaos hang-server}: treats an NFS server as hanging. */
    @Command(
            name = "hang-server",
            description =
                    "Make all operations on an NFS server wait, as if it hung. The server itself is not affected.")
    private static final class ChaosHangServerCommand implements Callable<Integer> {
        private final ProcessEnvironment environment;

        @Mixin
        private ChaosClient call;

        @Parameters(paramLabel = "SERVER", description = "Server name as in volumes.")
        private String name;

        @Option(
                names = "--for",
                paramLabel = "TIME",
                defaultValue = "30s",
                description = "Duration (${DEFAULT-VALUE}), at most 10m.")
        private String length;

        ChaosHangServerCommand(ProcessEnvironment environment) {
            this.environment = environment;
        }

        @Override
        public Integer call() throws IOException {
            return call.perform(
                    environment,
                    "hang-server",
                    ChaosClient.body().put("server", name).put("forSeconds", call.seconds("--for", length)));
        }
    }

    /** {@code mooring chaos monkey}: kills random verticles. */
    @Command(name = "monkey", description = "Kill random verticles repeatedly.")
    private static final class ChaosMonkeyCommand implements Callable<Integer> {
        private final ProcessEnvironment environment;

        @Mixin
        private ChaosClient call;

        @Option(
                names = "--every",
                paramLabel = "TIME",
                defaultValue = "2s",
                description = "Interval (${DEFAULT-VALUE}).")
        private String every;

        @Option(
                names = "--for",
                paramLabel = "TIME",
                defaultValue = "60s",
                description = "Duration (${DEFAULT-VALUE}), at most 10m.")
        private String length;

        @Option(
                names = "--only",
                paramLabel = "NAME",
                split = ",",
                description = "Only these verticles, separated by commas.")
        private List<String> only = new ArrayList<>();

        @Option(
                names = "--seed",
                paramLabel = "N",
                description = "Seed to repeat a sequence; default: random, and printed.")
        private Long seed;

        ChaosMonkeyCommand(ProcessEnvironment environment) {
            this.environment = environment;
        }

        @Override
        public Integer call() throws IOException {
            ObjectNode body = ChaosClient.body()
                    .put("everySeconds", call.seconds("--every", every))
                    .put("forSeconds", call.seconds("--for", length));
            if (!only.isEmpty()) {
                only.forEach(body.putArray("only")::add);
            }
            if (seed != null) {
                body.put("seed", seed);
            }
            return call.perform(environment, "monkey", body);
        }
    }

    /** {@code mooring chaos stop}: disarms all faults. */
    @Command(name = "stop", description = "Disarm all faults.")
    private static final class ChaosStopCommand implements Callable<Integer> {
        private final ProcessEnvironment environment;

        @Mixin
        private ChaosClient call;

        ChaosStopCommand(ProcessEnvironment environment) {
            this.environment = environment;
        }

        @Override
        public Integer call() throws IOException {
            return call.perform(environment, "stop", ChaosClient.body());
        }
    }
}
