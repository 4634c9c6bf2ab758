package dev.mooring.cli;

import dev.mooring.cli.config.Settings;
import dev.mooring.cli.config.SettingsLoader;
import dev.mooring.cli.config.SettingsSources;
import dev.mooring.cli.logging.Logging;
import dev.mooring.cli.logging.Terminal;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mooring server}: settings, logging, a {@link Server}, the ready line, and an orderly end on SIGTERM or SIGINT. */
@Command(
        name = ServerCommand.NAME,
        description = "Run the control plane and the node agent in this process, until SIGTERM or SIGINT.",
        footer = {"", "Settings: these flags, else MOORING_… variables, else the configuration file, else defaults."})
final class ServerCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(ServerCommand.class);
    private static final Path DEFAULT_FILE = Path.of("conf", "mooring.yaml");

    static final String NAME = "server";

    private final Ambient ambient;
    private final Supplier<Vertx> vertxSupplier;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Configuration file (conf/mooring.yaml if it exists).")
    private Path config;

    @Option(names = "--data", paramLabel = "DIR", description = "Where everything is kept (var).")
    private String data;

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description = "Where the API listens (127.0.0.1:7443); port 0 is any.")
    private String listen;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "Where to write the kubeconfig (<data>/kubeconfig).")
    private String kubeconfig;

    @Option(names = "--node", paramLabel = "NAME", description = "Name of this machine's Node (the host name).")
    private String node;

    @Option(names = "--without", paramLabel = "LIST", description = "Parts to leave out: control, node, pods (none).")
    private String without;

    @Option(names = "--runtime", paramLabel = "NAME", description = "What runs containers: docker or none (docker).")
    private String runtime;

    @Option(names = "--log", paramLabel = "file", description = "Where the event log lives (file).")
    private String log;

    ServerCommand(Ambient ambient, Supplier<Vertx> vertxSupplier) {
        this.ambient = ambient;
        this.vertxSupplier = vertxSupplier;
    }

    @Override
    public Integer call() {
        Vertx vertx = vertxSupplier.get();
        Server server;
        try {
            Settings settings = settings(vertx);
            server = Server.start(vertx, settings, ambient);
        } catch (RuntimeException | Error e) {
            vertx.close();
            throw e;
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> endBySignal(server), "shutdown"));
        ambient.out().println("ready " + server.url() + " kubeconfig=" + server.kubeconfig());
        ambient.out().flush();
        ambient.err()
                .println("next: kubectl --kubeconfig " + server.kubeconfig()
                        + " get storageclasses    (Ctrl-C ends the server)");
        server.awaitEnd();
        return ExitCode.OK.number();
    }

    private Settings settings(Vertx vertx) {
        SettingsSources sources =
                new SettingsSources(configurationFile(), ambient.environment(), flags(), ambient.hostName());
        SettingsLoader.Loaded loaded = Await.result(new SettingsLoader(vertx, sources).load());
        boolean capableTerminal = Terminal.stderrIsTerminal() && Terminal.environmentAllowsColor(ambient.environment());
        Logging.configure(loaded.settings().logging(), ambient.err(), capableTerminal);
        loaded.warnings().forEach(LOG::warn);
        return loaded.settings();
    }

    private Optional<Path> configurationFile() {
        if (config != null) {
            return Optional.of(config);
        }
        String variable = ambient.environment().getOrDefault("MOORING_CONFIG", "");
        if (!variable.isBlank()) {
            return Optional.of(Path.of(variable));
        }
        return Optional.of(DEFAULT_FILE).filter(Files::exists);
    }

    private Map<String, String> flags() {
        Map<String, String> flags = new HashMap<>();
        flags.put("data", data);
        flags.put("listen", listen);
        flags.put("kubeconfig", kubeconfig);
        flags.put("node", node);
        flags.put("without", without);
        flags.put("runtime", runtime);
        flags.put("log.kind", log);
        flags.values().removeIf(value -> value == null);
        return flags;
    }

    /**
     * The JVM would report the signal as the exit code (143, 130); asked to stop, having stopped is success. Nothing runs after
     * this hook that would need an orderly exit.
     */
    private static void endBySignal(Server server) {
        ExitCode code = server.close() ? ExitCode.OK : ExitCode.TIMEOUT;
        Runtime.getRuntime().halt(code.number());
    }
}
