package dev.mooring.cli;

import dev.mooring.server.Await;
import dev.mooring.server.ExitCode;
import dev.mooring.server.Logging;
import dev.mooring.server.ProcessEnvironment;
import dev.mooring.server.Server;
import dev.mooring.server.Settings;
import dev.mooring.server.SettingsLoader;
import dev.mooring.server.Terminal;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code mooring server}: loads settings, configures logging, runs a {@link Server}, prints the ready line, and shuts
 * down on SIGTERM or SIGINT.
 */
@Command(
        name = ServerCommand.NAME,
        description = "Run the control plane and the node agent in this process, until SIGTERM or SIGINT.",
        footer = {"", "Settings: these flags, else MOORING_… variables, else the configuration file, else defaults."})
final class ServerCommand implements Callable<Integer> {
    private static final Path DEFAULT_FILE = Path.of("conf", "mooring.yaml");

    static final String NAME = "server";

    private final ProcessEnvironment environment;
    private final Supplier<Vertx> vertxSupplier;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Configuration file (conf/mooring.yaml if it exists).")
    private Path config;

    @Option(names = "--data", paramLabel = "DIR", description = "Data directory (var).")
    private String data;

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description = "Listen address of the API (127.0.0.1:7443); port 0 is any free port.")
    private String listen;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "Path of the kubeconfig to write (<data>/kubeconfig).")
    private String kubeconfig;

    @Option(names = "--node", paramLabel = "NAME", description = "Name of this machine's Node (the host name).")
    private String node;

    @Option(
            names = "--node-identity",
            paramLabel = "keep|adopt|new",
            description =
                    "If the data belongs to another node or machine: refuse, continue as it, or replace it (keep).")
    private String nodeIdentity;

    @Option(
            names = "--without",
            paramLabel = "LIST",
            description = "Components to disable: control, node, pods (none).")
    private String without;

    @Option(names = "--runtime", paramLabel = "NAME", description = "Container runtime: docker or none (docker).")
    private String runtime;

    @Option(names = "--log", paramLabel = "file", description = "Storage of the event log (file).")
    private String log;

    ServerCommand(ProcessEnvironment environment, Supplier<Vertx> vertxSupplier) {
        this.environment = environment;
        this.vertxSupplier = vertxSupplier;
    }

    @Override
    public Integer call() {
        Vertx vertx = vertxSupplier.get();
        Server server;
        try {
            Settings settings = settings(vertx);
            server = Server.start(vertx, settings, environment);
        } catch (RuntimeException | Error e) {
            vertx.close();
            throw e;
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> endBySignal(server), "shutdown"));
        environment.out().println("ready " + server.url() + " kubeconfig=" + server.kubeconfig());
        server.pageLink().ifPresent(link -> environment.out().println("page " + link));
        environment.out().flush();
        server.notifyServiceManager();
        environment
                .err()
                .println("next: kubectl --kubeconfig " + server.kubeconfig()
                        + " get storageclasses    (Ctrl-C ends the server)");
        server.awaitEnd();
        return ExitCode.OK.number();
    }

    private Settings settings(Vertx vertx) {
        Settings settings = settings(vertx, environment, configurationFile(config, environment), flags());
        boolean capableTerminal =
                Terminal.stderrIsTerminal() && Terminal.environmentAllowsColor(environment.environment());
        Logging.configure(settings.logging(), environment.err(), capableTerminal);
        return settings;
    }

    /** Loads the settings of a server. */
    static Settings settings(
            Vertx vertx, ProcessEnvironment environment, Optional<Path> file, Map<String, String> flags) {
        SettingsLoader.SettingsSources sources =
                new SettingsLoader.SettingsSources(file, environment.environment(), flags, environment.hostName());
        return Await.result(new SettingsLoader(vertx, sources).load());
    }

    static Optional<Path> configurationFile(Path config, ProcessEnvironment environment) {
        if (config != null) {
            return Optional.of(config);
        }
        String variable = environment.environment().getOrDefault("MOORING_CONFIG", "");
        if (!variable.isBlank()) {
            return Optional.of(Path.of(variable));
        }
        return Optional.of(DEFAULT_FILE).filter(Files::exists);
    }

    private Map<String, String> flags() {
        Map<String, String> flags = new HashMap<>();
        flags.put("data", data);
        flags.put("listen", listen);
        flags.put("server.kubeconfig", kubeconfig);
        flags.put("node", node);
        flags.put("nodeIdentity", nodeIdentity);
        flags.put("without", without);
        flags.put("runtime", runtime);
        flags.put("log.kind", log);
        flags.values().removeIf(value -> value == null);
        return flags;
    }

    /**
     * Closes the server and halts with 0 if it stopped in time. The JVM would use the signal's exit code (143, 130),
     * but a requested stop is success. No later shutdown hook needs an orderly exit.
     */
    private static void endBySignal(Server server) {
        ExitCode code = server.close() ? ExitCode.OK : ExitCode.TIMEOUT;
        Runtime.getRuntime().halt(code.number());
    }
}
