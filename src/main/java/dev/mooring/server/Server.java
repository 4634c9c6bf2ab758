package dev.mooring.server;

import dev.mooring.api.ChaosService;
import dev.mooring.api.ExplainService;
import dev.mooring.api.HealthCheck;
import dev.mooring.api.HealthChecks;
import dev.mooring.api.ObjectMetrics;
import dev.mooring.api.VersionInfo;
import dev.mooring.api.auth.AuditLog;
import dev.mooring.api.auth.SignInCodes;
import dev.mooring.api.container.ContainerAccess;
import dev.mooring.api.http.AnonymousConnections;
import dev.mooring.api.http.ApiContext;
import dev.mooring.api.http.ApiCore;
import dev.mooring.api.http.ApiCore.ApiServices;
import dev.mooring.api.http.ApiMetrics;
import dev.mooring.api.http.ApiVerticle;
import dev.mooring.api.http.UiContext;
import dev.mooring.api.resource.BootstrapObjects;
import dev.mooring.api.resource.ControllerPodAdmission;
import dev.mooring.api.resource.KindTable;
import dev.mooring.api.resource.LeaseCache;
import dev.mooring.api.table.UsageSource;
import dev.mooring.api.tls.Kubeconfig;
import dev.mooring.api.tls.Pki;
import dev.mooring.api.tls.ServerCertificate;
import dev.mooring.api.tls.TokenFile;
import dev.mooring.api.types.Schemas;
import dev.mooring.control.Backoff;
import dev.mooring.control.ControlContext;
import dev.mooring.node.monitor.UsageCache;
import dev.mooring.node.status.NodeReporter;
import dev.mooring.volumedriver.WorldWaiter;
import dev.mooring.world.Ledger;
import dev.mooring.world.StateStore;
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
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running server: wires everything that {@code mooring server} needs, also for tests. Starting and closing block, so
 * they must not be called on an event loop.
 */
public final class Server {
    private static final Logger LOG = LoggerFactory.getLogger(Server.class);

    /** SIGKILL often follows 10 s after SIGTERM; verticles have shorter deadlines of their own. */
    private static final Duration STOP_DEADLINE = Duration.ofSeconds(10);

    /** Maximum wait for the verticles to start. */
    private static final Duration START_TIMEOUT = Duration.ofSeconds(20);

    /** Frequent enough to report a blocked event loop, rare enough not to wake an idle machine. */
    private static final Duration BLOCKED_THREAD_CHECK = Duration.ofSeconds(10);

    private final Vertx vertx;
    private final Settings settings;
    private final ProcessEnvironment environment;
    private final HealthChecks healthChecks = new HealthChecks();
    private final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Supervisor supervisor;
    private final ApiContext.BoundPort port;
    private final ApiContext.BoundPort plainPort;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean stopping;
    private final UsageCache usage;
    private Storage storage;
    private NodeEvents events;
    private Optional<LocalChaosService> chaos = Optional.empty();
    private NodeAgent agent;
    private Optional<AuditLog> audit = Optional.empty();
    private Optional<ServiceNotifier> notifier = Optional.empty();
    private final Optional<UiContext> ui;

    private Server(Vertx vertx, Settings settings, ProcessEnvironment environment) {
        this.vertx = vertx;
        this.settings = settings;
        this.environment = environment;
        this.usage = new UsageCache(environment.clock());
        this.ui = settings.ui().enabled()
                ? Optional.of(UiContext.of(
                        new SignInCodes(environment.clock(), environment.secureRandom()),
                        System::nanoTime,
                        VersionInfo.ofThisBuild().version(),
                        settings.node(),
                        settings.chaos().enabled()))
                : Optional.empty();
        this.port = new ApiContext.BoundPort(settings.listen().port());
        this.plainPort = new ApiContext.BoundPort(
                settings.api().plainListen().map(ListenAddress::port).orElse(0));
        this.supervisor = new Supervisor(
                vertx,
                new Supervisor.SupervisorContext(
                        Supervisor.BackoffPolicy.DEFAULT, meters, environment.clock(), environment.random()),
                healthChecks);
    }

    /**
     * Returns a Vert.x with a fast start and low idle load: no class path scanning, no cache directory, rare checks.
     */
    public static Vertx newVertx() {
        // The system resolver honours /etc/hosts and nsswitch like other programs, and needs no class loading.
        System.setProperty("vertx.disableDnsResolver", "true");
        return Vertx.builder()
                .with(new VertxOptions()
                        .setBlockedThreadCheckInterval(BLOCKED_THREAD_CHECK.toMillis())
                        .setFileSystemOptions(new FileSystemOptions()
                                .setClassPathResolvingEnabled(false)
                                .setFileCachingEnabled(false)))
                .withTransport(AnonymousConnections.transport())
                .build();
    }

    /**
     * Starts a server and returns when it serves requests. The server then owns {@code vertx}.
     *
     * @throws RuntimeException for which {@link CommandFailure} has a user message; nothing but {@code vertx} is left
     *     running
     */
    public static Server start(Vertx vertx, Settings settings, ProcessEnvironment environment) {
        Server server = new Server(vertx, settings, environment);
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
        DataDirectory data = DataDirectory.open(settings.data());
        Path pki = settings.data().resolve("pki");
        // These take longest and have no dependencies, so they run in parallel to everything else.
        CompletableFuture<ServerCertificate> certificate = CompletableFuture.supplyAsync(() -> certificate(pki));
        CompletableFuture<KindTable> kinds = CompletableFuture.supplyAsync(
                () -> new KindTable(Schemas.ofThisProgram(), environment.clock(), usageSource()));
        healthChecks.add(HealthCheck.ready(
                "shutdown",
                () -> stopping
                        ? HealthCheck.HealthResult.failing("the server is being stopped")
                        : HealthCheck.HealthResult.ok()));

        // Must come before everything else that uses the data directory, because it takes the lock.
        storage = new Storage(settings, environment, meters);
        Optional<String> formerNode = settings.without().contains(Settings.ServerPart.NODE)
                ? Optional.empty()
                : data.claim(settings.node(), DataDirectory.machineId(), settings.nodeIdentity());
        storage.start(supervisor, healthChecks);
        formerNode.ifPresent(
                node -> storage.removeNode(node, environment.clock().instant()));
        meters.getPrometheusRegistry()
                .register(new ObjectMetrics(() -> storage.stateStore().ledger().world(), settings.node()));
        audit = openAudit();
        events = new NodeEvents(settings.node(), storage.stateStore().ledger(), environment.clock());
        supervisor.addListener(new VerticleEventRecorder(events));
        if (settings.chaos().enabled()) {
            chaos = Optional.of(new LocalChaosService(settings.node(), supervisor, events, environment, meters));
            Await.result(chaos.get().start(healthChecks));
        }

        ServerCertificate serverCertificate = certificate.join();
        TokenFile tokens = TokenFile.load(pki.resolve("tokens.json"));
        Kubeconfig kubeconfig = new Kubeconfig(settings.kubeconfig());
        if (!settings.kubeconfig().toAbsolutePath().startsWith(settings.data().toAbsolutePath())) {
            kubeconfig.requireAuthority(serverCertificate.authorityPem());
        }
        String adminToken = adminToken(tokens, kubeconfig);

        ApiCore core = core(kinds.join(), tokens);
        Future<?> controllers = startWork(core);
        ExplainService explain = new LocalExplainService(storage.stateStore());
        startApi(
                serverCertificate,
                core.with(new ApiServices(
                        containers(),
                        chaos.map(ChaosService.class::cast),
                        Optional.of(explain),
                        ui,
                        Optional.of(bundles()))));
        awaitWithTimeout(Future.all(controllers, publish(serverCertificate)));
        startVolumeDriver(core);
        Optional.ofNullable(agent).ifPresent(NodeAgent::startWatchingRuntime);
        plainUrl().ifPresent(plain -> LOG.atInfo().addKeyValue("url", plain).log("Serving without TLS on loopback"));
        kubeconfig.ensure(url(), serverCertificate.authorityPem(), adminToken);
        LOG.atInfo()
                .addKeyValue("url", url())
                .addKeyValue("data", settings.data())
                .addKeyValue("node", settings.node())
                .log("Serving");
    }

    private Optional<AuditLog> openAudit() throws IOException {
        Settings.AuditSettings wanted = settings.audit();
        if (wanted.level() == AuditLog.AuditLevel.OFF) {
            return Optional.empty();
        }
        AuditLog log = new AuditLog(
                wanted.level(), wanted.file(), wanted.maxBytes(), wanted.files(), System::nanoTime, meters);
        healthChecks.add(HealthCheck.ready(
                "audit",
                () -> log.problem().map(HealthCheck.HealthResult::degraded).orElseGet(HealthCheck.HealthResult::ok)));
        return Optional.of(log);
    }

    /**
     * Waits for the components to start. One that does not start is reported like one that died; it must not block the
     * API.
     */
    private static void awaitWithTimeout(Future<?> components) {
        Await.result(components
                .<Void>mapEmpty()
                .timeout(START_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .recover(cause -> {
                    if (!(cause instanceof TimeoutException)) {
                        return Future.failedFuture(cause);
                    }
                    LOG.warn(
                            "Some components did not start within {}; serving the API without them, see"
                                    + " /readyz?verbose",
                            START_TIMEOUT);
                    return Future.succeededFuture();
                }));
    }

    /** Starts the controllers and the node agent. */
    private Future<?> startWork(ApiCore core) {
        LeaseCache heartbeats = core.leaseCache();
        ControlContext controlContext = controlContext();
        Future<?> controllers = settings.without().contains(Settings.ServerPart.CONTROL)
                ? Future.succeededFuture()
                : new Controllers(supervisor, controlContext)
                        .start(
                                settings,
                                node -> heartbeats.lastRenewal(NodeReporter.leaseOf(node)),
                                new ControllerPodAdmission(core.catalog(), settings.podPolicy())::admit);
        if (settings.without().contains(Settings.ServerPart.NODE)) {
            return controllers;
        }
        agent = new NodeAgent(
                supervisor,
                controlContext,
                settings,
                usage,
                new Random(environment.secureRandom().nextLong()),
                chaos.map(LocalChaosService::faults),
                core.accountTokens());
        meters.getPrometheusRegistry().register(agent.metrics());
        agent.serviceHealth().ifPresent(healthChecks::add);
        RandomIds ids = new RandomIds(environment.secureRandom());
        Future<?> node = agent.start((name, now) -> heartbeats.renew(NodeReporter.leaseOf(name), now), ids::uid);
        return Future.all(controllers, node);
    }

    /** Starts Docker's volume driver in the background: the API does not depend on it. */
    private void startVolumeDriver(ApiCore core) {
        if (agent != null) {
            StateStore store = storage.stateStore();
            WorldWaiter waiter = new WorldWaiter(store.ledger(), store.hub(), Schedulers.io());
            agent.startVolumeDriver(core.writer(), core.catalog(), waiter, usage);
        }
    }

    private ControlContext controlContext() {
        return new ControlContext(
                storage.stateStore().ledger(),
                storage.stateStore().hub(),
                Schedulers.io(),
                environment.clock(),
                meters,
                Backoff.DEFAULT);
    }

    /** Publishes the address of the listening API and its certificate authority. */
    private Future<Void> publish(ServerCertificate certificate) throws IOException {
        return settings.without().contains(Settings.ServerPart.CONTROL)
                ? Future.succeededFuture()
                : new Controllers(supervisor, controlContext())
                        .publish(
                                settings.serviceNetwork(),
                                settings.listen().reachableAddress(settings.data()),
                                port.number(),
                                certificate.authorityPem());
    }

    private ContainerAccess containers() {
        return Optional.ofNullable(agent)
                .flatMap(NodeAgent::containerAccess)
                .map(ContainerAccess.class::cast)
                .orElseGet(() -> ContainerAccess.unavailable(
                        "this node runs no containers: the server was started with --runtime none, or with --without"
                                + " node or pods"));
    }

    private DebugBundles bundles() {
        return new DebugBundles(
                settings,
                storage.stateStore(),
                environment.clock(),
                meters::scrape,
                () -> Optional.ofNullable(agent).map(NodeAgent::containers).orElse(List.of()));
    }

    private UsageSource usageSource() {
        return new UsageSource() {
            @Override
            public boolean isEmpty() {
                return usage.isEmpty();
            }

            @Override
            public Optional<Used> of(String namespace, String claim) {
                return usage.of(namespace, claim).map(each -> new Used(each.text(), each.measured()));
            }
        };
    }

    private ServerCertificate certificate(Path pki) {
        try {
            return new Pki(pki, environment.clock(), environment.secureRandom())
                    .certificateFor(settings.listen().clientNames(environment.hostName(), settings.serviceNetwork()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String adminToken(TokenFile tokens, Kubeconfig kubeconfig) throws IOException {
        Optional<String> known =
                kubeconfig.token().filter(token -> tokens.userOf(token).equals(Optional.of(TokenFile.ADMIN)));
        if (known.isPresent()) {
            return known.get();
        }
        String newToken = tokens.mint(TokenFile.ADMIN, environment.clock(), environment.secureRandom());
        LOG.atInfo()
                .addKeyValue("kubeconfig", settings.kubeconfig())
                .log("Created a new admin token, because the kubeconfig has no valid one; earlier ones are revoked");
        return newToken;
    }

    private ApiCore core(KindTable kinds, TokenFile tokens) {
        RandomIds ids = new RandomIds(environment.secureRandom());
        ApiCore core = ApiCore.of(
                storage.stateStore(),
                kinds,
                tokens,
                settings.api().limits(),
                settings.api().rate(),
                new ApiCore.ApiDependencies(
                        environment.clock(),
                        System::nanoTime,
                        environment.secureRandom(),
                        ids,
                        meters,
                        settings.podPolicy(),
                        audit,
                        MemoryBudget.ofThisProcess().responses()),
                VersionInfo.ofThisBuild());
        Ledger ledger = storage.stateStore().ledger();
        new BootstrapObjects(core.catalog(), environment.clock(), ids)
                .proposal(ledger.world(), settings.node())
                .ifPresent(storage::commit);
        events.started();
        core.authenticator().warnOfTokensWithoutExpiry(ledger.world());
        return core;
    }

    private void startApi(ServerCertificate certificate, ApiCore core) {
        ApiContext apiContext = new ApiContext(
                settings.listen().host(),
                port,
                plain(),
                certificate,
                core,
                healthChecks,
                new ApiMetrics(meters),
                VersionInfo.ofThisBuild());
        Future<Void> up = supervisor.supervise(ChildSpec.required("api", supervision -> new ApiVerticle(apiContext)));
        Await.result(up.recover(cause -> Future.failedFuture(settings.listen().explain(cause))));
    }

    private Optional<ApiContext.PlaintextListener> plain() {
        return settings.api().plainListen().map(address -> new ApiContext.PlaintextListener(address.host(), plainPort));
    }

    /** Returns the URL for clients without TLS, if enabled. */
    public Optional<String> plainUrl() {
        return settings.api()
                .plainListen()
                .map(address -> "http://" + new ListenAddress(address.host(), plainPort.number()));
    }

    /** Returns the URL for clients on this machine. */
    public String url() {
        String host = settings.listen().coversAllInterfaces()
                ? "127.0.0.1"
                : settings.listen().host();
        return "https://" + new ListenAddress(host, port.number());
    }

    /** Returns a link to the web page, with a one-time code for the sign-in, if the page is enabled. */
    public Optional<String> pageLink() {
        return ui.map(page -> url() + page.link());
    }

    public Path kubeconfig() {
        return settings.kubeconfig();
    }

    /** Returns the state store. */
    public StateStore stateStore() {
        return storage.stateStore();
    }

    public Supervisor supervisor() {
        return supervisor;
    }

    /** Reports readiness to the service manager, if one started this process, and then its health until the end. */
    public void notifyServiceManager() {
        notifier = ServiceNotifier.of(environment.environment(), healthChecks);
        notifier.ifPresent(each -> each.ready(
                vertx, new ServiceNotifier.Watched(storage.stateStore().ledger(), url())));
    }

    /** Waits until the server has been closed. */
    public void awaitEnd() {
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops everything in reverse order of its start. Returns whether it ended in time. */
    public boolean close() {
        stopping = true;
        notifier.ifPresent(ServiceNotifier::stopping);
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
            LOG.error("Failed to stop within {}; acknowledged writes are durable", STOP_DEADLINE);
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException e) {
            LOG.error("Failed to stop cleanly", e);
            return false;
        } finally {
            closeStorage();
            ended.countDown();
        }
    }

    private void closeStorage() {
        audit.ifPresent(AuditLog::close);
        if (agent != null) {
            agent.close();
        }
        if (storage == null) {
            return;
        }
        try {
            storage.close();
        } catch (IOException e) {
            LOG.atWarn().setCause(e).log("Failed to close the event log; acknowledged writes are durable");
        }
    }
}
