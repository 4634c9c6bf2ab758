package dev.mooring.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Json;
import dev.mooring.node.status.MachineCheck;
import dev.mooring.server.Await;
import dev.mooring.server.ExitCode;
import dev.mooring.server.MachineInspector;
import dev.mooring.server.ProcessEnvironment;
import dev.mooring.server.Server;
import dev.mooring.server.Settings;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mooring check}: prints what works on this machine, and how to get the rest. */
@Command(
        name = "check",
        description = "Check what this machine has for volumes and Pods, and how to get the rest.",
        footer = {
            "",
            "ok, warning: some volumes or Pods do not work, missing: Mooring does not work. Exit code 1 if something is"
                    + " missing.",
            "A running server has the same facts as conditions of its Node: mooring describe node/NAME"
        })
final class CheckCommand implements Callable<Integer> {
    /** The file of the Debian package. */
    private static final Path INSTALLED_FILE = Path.of("/etc/mooring/mooring.yaml");

    private final ProcessEnvironment environment;
    private final MachineReader machine;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Configuration file of the server (conf/mooring.yaml or /etc/mooring/mooring.yaml, if one"
                    + " exists).")
    private Path config;

    @Option(names = "--data", paramLabel = "DIR", description = "Data directory of the server.")
    private String data;

    @Option(names = "--runtime", paramLabel = "NAME", description = "Container runtime: docker or none.")
    private String runtime;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "${COMPLETION-CANDIDATES} (text).")
    private OutputFormat output;

    /** Reads this machine. An interface, so that tests can replace the machine. */
    interface MachineReader {
        List<MachineCheck> checks(Settings settings) throws IOException, InterruptedException;
    }

    CheckCommand(ProcessEnvironment environment) {
        this(environment, settings -> MachineInspector.checks(settings, environment.clock()));
    }

    CheckCommand(ProcessEnvironment environment, MachineReader machine) {
        this.environment = environment;
        this.machine = machine;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Map<String, String> flags = new HashMap<>();
        flags.put("data", data);
        flags.put("runtime", runtime);
        flags.values().removeIf(value -> value == null);
        List<MachineCheck> checks = machine.checks(settings(flags));
        if (output == OutputFormat.JSON) {
            environment.out().println(json(checks).toPrettyString());
        } else {
            environment.out().print(table(checks));
        }
        boolean missing = checks.stream().anyMatch(each -> each.state() == MachineCheck.State.MISSING);
        return (missing ? ExitCode.FAILED : ExitCode.OK).number();
    }

    private Settings settings(Map<String, String> flags) {
        Optional<Path> file = ServerCommand.configurationFile(config, environment)
                .or(() -> Optional.of(INSTALLED_FILE).filter(Files::exists));
        Vertx vertx = Server.newVertx();
        try {
            return ServerCommand.settings(vertx, environment, file, flags);
        } finally {
            Await.result(vertx.close());
        }
    }

    private static String state(MachineCheck check) {
        return check.state().name().toLowerCase(Locale.ROOT);
    }

    private static String table(List<MachineCheck> checks) {
        List<List<String>> lines = new ArrayList<>();
        lines.add(List.of("CHECK", "STATUS", "FOUND"));
        for (MachineCheck each : checks) {
            lines.add(List.of(each.name(), state(each), each.message()));
            if (!each.remedy().isEmpty()) {
                lines.add(List.of("", "", "next: " + each.remedy()));
            }
        }
        return TextColumns.align(lines, TextColumns.TABLE);
    }

    private static ObjectNode json(List<MachineCheck> checks) {
        ObjectNode result = Json.MAPPER.createObjectNode();
        ArrayNode list = result.putArray("checks");
        for (MachineCheck each : checks) {
            ObjectNode item = list.addObject()
                    .put("name", each.name())
                    .put("status", state(each))
                    .put("condition", each.condition())
                    .put("reason", each.reason())
                    .put("message", each.message());
            if (!each.remedy().isEmpty()) {
                item.put("remedy", each.remedy());
            }
        }
        return result;
    }
}
