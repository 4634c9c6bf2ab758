package dev.mooring.cli;

import dev.mooring.api.ApiCore;
import dev.mooring.api.ApiMetrics;
import dev.mooring.api.ApiParts;
import dev.mooring.api.ApiVerticle;
import dev.mooring.api.BoundPort;
import dev.mooring.api.Health;
import dev.mooring.api.HealthCheck;
import dev.mooring.api.HealthChecks;
import dev.mooring.api.VersionInfo;
import dev.mooring.api.catalog.KindTable;
import dev.mooring.api.chaos.ChaosDesk;
import dev.mooring.api.container.ContainerAccess;
import dev.mooring.api.resource.FirstStart;
import dev.mooring.api.resource.Heartbeats;
import dev.mooring.api.schema.Schemas;
import dev.mooring.api.table.UsageSource;
import dev.mooring.api.tls.Kubeconfig;
import dev.mooring.api.tls.Pki;
import dev.mooring.api.tls.PrivateFiles;
import dev.mooring.api.tls.ServerCertificate;
import dev.mooring.api.tls.Tokens;
import dev.mooring.cli.config.ListenAddress;
import dev.mooring.cli.config.Part;
import dev.mooring.cli.config.Settings;
import dev.mooring.cli.supervise.BackoffPolicy;
import dev.mooring.cli.supervise.ChildSpec;
import dev.mooring.cli.supervise.Supervisor;
import dev.mooring.cli.supervise.SupervisorParts;
import dev.mooring.control.Backoff;
import dev.mooring.control.ControlParts;
import dev.mooring.node.status.NodeReporter;
import dev.mooring.node.usage.UsageBook;
import dev.mooring.world.Ledger;
import dev.mooring.world.Outcome;
import dev.mooring.world.Spine;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One running server: everything that {@code mooring server} wires together, usable from tests as well. Started and closed from
 * an ordinary thread, never from an event loop, because both wait.
 */
public final class Server {
    private static final Logger LOG = LoggerFactory.getLogger(Server.class);

    /** What a SIGTERM gives before SIGKILL follows is often 10 s; verticles have their own, shorter deadlines. */
    private static final Duration STOP_DEADLINE = Duration.ofSeconds(10);

    /** What is not up by then may never be. */
    private static final Duration START_PATIENCE = Duration.ofSeconds(20);

    /** Often enough to report a blocked event loop, seldom enough to leave an idle machine asleep. */
    private static final Duration BLOCKED_THREAD_CHECK = Duration.ofSeconds(10);

    private final Vertx vertx;
    private final Settings settings;
    private final Ambient ambient;
    private final HealthChecks healthChecks = new HealthChecks();
    private final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Supervisor supervisor;
    private final BoundPort port;
    private final BoundPort plainPort;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean stopping;
    private final UsageBook usage;
    private Storage storage;
    private NodeEvents events;
    private Optional<ChaosStation> chaos = Optional.empty();
    private NodeAgent agent;

    private Server(Vertx vertx, Settings settings, Ambient ambient) {
        this.vertx = vertx;
        this.settings = settings;
        this.ambient = ambient;
        this.usage = new UsageBook(ambient.clock());
        this.port = new BoundPort(settings.listen().port());
        this.plainPort = new BoundPort(
                settings.api().plainListen().map(ListenAddress::port).orElse(0));
        this.supervisor = new Supervisor(
                vertx,
                new SupervisorParts(BackoffPolicy.DEFAULT, meters, ambient.clock(), ambient.random()),
                healthChecks);
    }

    /** A Vert.x that starts fast and lies still: no class path scanning, no cache directory, rare checks. */
    public static Vertx newVertx() {
        // The system's resolver knows /etc/hosts and nsswitch as the rest of the machine does, and needs no loading.
        System.setProperty("vertx.disableDnsResolver", "true");
        return Vertx.vertx(new VertxOptions()
                .setBlockedThreadCheckInterval(BLOCKED_THREAD_CHECK.toMillis())
                .setFileSystemOptions(new FileSystemOptions()
                        .setClassPathResolvingEnabled(false)
                        .setFileCachingEnabled(false)));
    }

    /**
     * Starts a server and returns when it serves. The server owns {@code vertx} from then on.
     *
     * @throws RuntimeException whose {@link Failure} is made for the user; nothing is left running but {@code vertx}
     */
    public static Server start(Vertx vertx, Settings settings, Ambient ambient) {
        Server server = new Server(vertx, settings, ambient);
        try {
            server.start();
            return server;
        } catch (RuntimeException | IOException e) {
            Await.result(server.supervisor.stop());
            server.closeStorage();
            if (e instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            throw new UncheckedIOException((IOException) e);
        }
    }

    private void start() throws IOException {
        PrivateFiles.makeDirectory(settings.data());
        Path pki = settings.data().resolve("pki");
        // These take the longest and need nobody, so they are made beside everything else.
        CompletableFuture<ServerCertificate> certificate = CompletableFuture.supplyAsync(() -> certificate(pki));
        CompletableFuture<KindTable> kinds =
                CompletableFuture.supplyAsync(() -> new KindTable(Schemas.ofThisProgram(), ambient.clock(), used()));
        healthChecks.add(HealthCheck.ready(
                "shutdown", () -> stopping ? Health.failing("the server is being stopped") : Health.ok()));

        // First of all that touches the data directory: it takes the lock.
        storage = new Storage(settings, ambient.clock(), meters);
        storage.start(supervisor, healthChecks);
        events = new NodeEvents(settings.node(), storage.spine().ledger(), ambient.clock());
        supervisor.listen(new VerticleNews(events));
        if (settings.chaos().enabled()) {
            chaos = Optional.of(new ChaosStation(settings.node(), supervisor, events, ambient, meters));
            Await.result(chaos.get().start(healthChecks));
        }

        ServerCertificate serverCertificate = certificate.join();
        Tokens tokens = Tokens.load(pki.resolve("tokens.json"));
        Kubeconfig kubeconfig = new Kubeconfig(settings.kubeconfig());
        String adminToken = adminToken(tokens, kubeconfig);

        ApiCore core = core(kinds.join(), tokens);
        Future<?> controllers = startWork(core.heartbeats());
        startApi(serverCertificate, core.reaching(containers()).withChaos(chaos.map(ChaosDesk.class::cast)));
        awaitPatiently(controllers);
        Optional.ofNullable(agent).ifPresent(NodeAgent::follow);
        plainUrl().ifPresent(plain -> LOG.atInfo().addKeyValue("url", plain).log("Serving without TLS as well"));
        kubeconfig.ensure(url(), serverCertificate.authorityPem(), adminToken);
        LOG.atInfo()
                .addKeyValue("url", url())
                .addKeyValue("data", settings.data())
                .addKeyValue("node", settings.node())
                .log("Serving");
    }

    /** A part that does not come up is reported like any that died; it must not keep the API from being used. */
    private static void awaitPatiently(Future<?> parts) {
        Await.result(parts.<Void>mapEmpty()
                .timeout(START_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .recover(cause -> {
                    if (!(cause instanceof TimeoutException)) {
                        return Future.failedFuture(cause);
                    }
                    LOG.warn(
                            "Expected every part to be up within {}, but some are not; the API serves all the same:"
                                    + " see /readyz?verbose",
                            START_PATIENCE);
                    return Future.succeededFuture();
                }));
    }

    /** The controllers and what this machine does as a node. */
    private Future<?> startWork(Heartbeats heartbeats) {
        ControlParts parts = new ControlParts(
                storage.spine().ledger(),
                storage.spine().hub(),
                Schedulers.io(),
                ambient.clock(),
                meters,
                Backoff.DEFAULT);
        Future<?> controllers = settings.without().contains(Part.CONTROL)
                ? Future.succeededFuture()
                : new Controllers(supervisor, parts)
                        .start(settings, node -> heartbeats.last(NodeReporter.leaseOf(node)));
        if (settings.without().contains(Part.NODE)) {
            return controllers;
        }
        agent = new NodeAgent(
                supervisor,
                parts,
                settings,
                usage,
                new Random(ambient.secureRandom().nextLong()),
                chaos.map(ChaosStation::faults));
        meters.getPrometheusRegistry().register(agent.metrics());
        RandomIds ids = new RandomIds(ambient.secureRandom());
        Future<?> node = agent.start((name, now) -> heartbeats.renew(NodeReporter.leaseOf(name), now), ids::uid);
        return Future.all(controllers, node);
    }

    private ContainerAccess containers() {
        return Optional.ofNullable(agent)
                .flatMap(NodeAgent::door)
                .map(ContainerAccess.class::cast)
                .orElseGet(() -> ContainerAccess.none(
                        "this node runs no containers: the server was started with --runtime none, or without its node"
                                + " or pods"));
    }

    private UsageSource used() {
        return new UsageSource() {
            @Override
            public boolean isEmpty() {
                return usage.isEmpty();
            }

            @Override
            public Optional<String> of(String namespace, String claim) {
                return usage.of(namespace, claim).map(UsageBook.Used::text);
            }
        };
    }

    private ServerCertificate certificate(Path pki) {
        try {
            return new Pki(pki, ambient.clock(), ambient.secureRandom())
                    .certificateFor(ServerNames.of(settings.listen(), ambient.hostName()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String adminToken(Tokens tokens, Kubeconfig kubeconfig) throws IOException {
        Optional<String> known =
                kubeconfig.token().filter(token -> tokens.userOf(token).equals(Optional.of(Tokens.ADMIN)));
        if (known.isPresent()) {
            return known.get();
        }
        String minted = tokens.mint(Tokens.ADMIN, ambient.clock(), ambient.secureRandom());
        LOG.atInfo()
                .addKeyValue("kubeconfig", settings.kubeconfig())
                .log("Made a new admin token, because the kubeconfig holds no valid one; any former admin token has"
                        + " ended");
        return minted;
    }

    private ApiCore core(KindTable kinds, Tokens tokens) {
        RandomIds ids = new RandomIds(ambient.secureRandom());
        ApiCore core = ApiCore.of(
                storage.spine(),
                kinds,
                tokens,
                settings.api().limits(),
                settings.api().rate(),
                new ApiCore.Surroundings(
                        ambient.clock(), System::nanoTime, ambient.secureRandom(), ids, meters, settings.podPolicy()),
                VersionInfo.ofThisBuild());
        Ledger ledger = storage.spine().ledger();
        new FirstStart(core.catalog(), ambient.clock(), ids)
                .proposal(ledger.world(), settings.node())
                .ifPresent(first -> requireCommitted(ledger.propose(first)));
        events.started();
        return core;
    }

    private static void requireCommitted(CompletionStage<Outcome> proposed) {
        Outcome outcome = proposed.toCompletableFuture().join();
        if (!(outcome instanceof Outcome.Committed)) {
            throw new MooringException(
                    ExitCode.FAILED, "Expected to write the first objects into the empty log, but: " + outcome);
        }
    }

    private void startApi(ServerCertificate certificate, ApiCore core) {
        ApiParts parts = new ApiParts(
                settings.listen().host(),
                port,
                plain(),
                certificate,
                core,
                healthChecks,
                new ApiMetrics(meters),
                VersionInfo.ofThisBuild());
        Future<Void> up = supervisor.supervise(ChildSpec.required("api", supervision -> new ApiVerticle(parts)));
        Await.result(up.recover(cause -> Future.failedFuture(ListenFailure.of(cause, settings.listen()))));
    }

    private Optional<ApiParts.PlainListener> plain() {
        return settings.api().plainListen().map(address -> new ApiParts.PlainListener(address.host(), plainPort));
    }

    /** Where clients without TLS find the server, if they do. */
    public Optional<String> plainUrl() {
        return settings.api()
                .plainListen()
                .map(address -> "http://" + new ListenAddress(address.host(), plainPort.number()));
    }

    /** Where clients on this machine find the server. */
    public String url() {
        String host = settings.listen().coversAllInterfaces()
                ? "127.0.0.1"
                : settings.listen().host();
        return "https://" + new ListenAddress(host, port.number());
    }

    public Path kubeconfig() {
        return settings.kubeconfig();
    }

    /** The log and what stands on it. */
    public Spine spine() {
        return storage.spine();
    }

    public Supervisor supervisor() {
        return supervisor;
    }

    /** Returns when the server has been closed. */
    void awaitEnd() {
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops everything, in the reverse order of its start. Returns whether it ended in time. */
    public boolean close() {
        stopping = true;
        try {
            supervisor
                    .stop()
                    .compose(v -> vertx.close())
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(STOP_DEADLINE.toMillis(), TimeUnit.MILLISECONDS);
            LOG.info("Stopped");
            return true;
        } catch (TimeoutException e) {
            LOG.error("Expected to stop within {}, but something hangs; what was acknowledged is safe", STOP_DEADLINE);
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException e) {
            LOG.error("Expected to stop cleanly, but it failed", e);
            return false;
        } finally {
            closeStorage();
            ended.countDown();
        }
    }

    private void closeStorage() {
        if (agent != null) {
            agent.close();
        }
        if (storage == null) {
            return;
        }
        try {
            storage.close();
        } catch (IOException e) {
            LOG.atWarn().setCause(e).log("Expected to close the log, but it failed; what was acknowledged is safe");
        }
    }
}
