package dev.mooring.api.http;

import dev.mooring.api.ApiLimits;
import dev.mooring.api.BundleService;
import dev.mooring.api.ChaosService;
import dev.mooring.api.ExplainService;
import dev.mooring.api.MemoryLimits;
import dev.mooring.api.VersionInfo;
import dev.mooring.api.auth.AuditLog;
import dev.mooring.api.auth.Authenticator;
import dev.mooring.api.auth.Authorizer;
import dev.mooring.api.auth.RateLimit;
import dev.mooring.api.auth.ServiceAccountTokens;
import dev.mooring.api.auth.TokenMint;
import dev.mooring.api.auth.TokenRequests;
import dev.mooring.api.container.ContainerAccess;
import dev.mooring.api.discovery.ApiDiscovery;
import dev.mooring.api.discovery.OpenApi;
import dev.mooring.api.policy.PodPolicy;
import dev.mooring.api.resource.Catalog;
import dev.mooring.api.resource.DiscoveryDocuments;
import dev.mooring.api.resource.IdGenerator;
import dev.mooring.api.resource.KindTable;
import dev.mooring.api.resource.LeaseCache;
import dev.mooring.api.resource.ResourceWriter;
import dev.mooring.api.tls.TokenFile;
import dev.mooring.world.StateStore;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * State that all event loops of the API share and that survives a restart of the verticle. Thread-safe.
 *
 * @param sharedLimits limits that all users share
 * @param slowReaders responses whose clients have not read them yet
 * @param audit audit log; empty if disabled
 * @param policy host access of Pods, which also decides who may exec into them
 */
public record ApiCore(
        StateStore stateStore,
        Clock clock,
        ApiLimits limits,
        Catalog catalog,
        ApiDiscovery discovery,
        OpenApi openApi,
        ResourceWriter writer,
        LeaseCache leaseCache,
        Authenticator authenticator,
        Authorizer authorizer,
        RateLimit rateLimit,
        TokenRequests tokenRequests,
        ServiceAccountTokens accountTokens,
        SharedLimits sharedLimits,
        SlowReaders slowReaders,
        AccessLog access,
        Optional<AuditLog> audit,
        IdGenerator ids,
        PodPolicy policy,
        ApiServices services) {

    /**
     * Ports to other parts of the process.
     *
     * @param containers access to the containers of Pods
     * @param chaos fault injection; empty if disabled
     * @param explain explanations of objects; empty if the server has none
     * @param ui the web page; empty if disabled
     * @param bundles debug bundles; empty if the server has none
     */
    public record ApiServices(
            ContainerAccess containers,
            Optional<ChaosService> chaos,
            Optional<ExplainService> explain,
            Optional<UiContext> ui,
            Optional<BundleService> bundles) {
        public static final ApiServices NONE = new ApiServices(
                ContainerAccess.unavailable("this node runs no containers"),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /**
     * Limits that all users share.
     *
     * @param requestBytes bytes of requests that are being received or processed
     * @param responseBytes bytes of responses that clients have not read yet
     * @param connections connections that have carried a valid token
     * @param historyReads requests for events that are running or waiting
     */
    public record SharedLimits(
            SharedLimit watches,
            SharedLimit containerStreams,
            SharedLimit requestBytes,
            SharedLimit responseBytes,
            SharedLimit connections,
            SharedLimit historyReads) {
        private static SharedLimits of(ApiLimits limits) {
            int percent = limits.sharePercent();
            return new SharedLimits(
                    new SharedLimit("open watches (api.maxWatches)", limits.watches(), percent),
                    new SharedLimit(
                            "open log, exec and attach streams (api.maxContainerStreams)",
                            limits.containerStreams(),
                            percent),
                    new SharedLimit(
                            "bytes of large request bodies in flight", HttpLimits.IN_FLIGHT_BODY_BYTES, percent),
                    new SharedLimit("bytes of large unread responses", HttpLimits.UNREAD_RESPONSE_BYTES, percent),
                    new SharedLimit("open connections (api.maxConnections)", limits.connections(), percent),
                    new SharedLimit("requests for history", HttpLimits.HISTORY_READS, percent));
        }
    }

    /**
     * Dependencies of the API.
     *
     * @param nanoTime clock for measuring durations
     * @param policy host access that Pods may have
     * @param audit audit log; empty if disabled
     * @param memory limits of the memory that responses hold
     */
    public record ApiDependencies(
            Clock clock,
            LongSupplier nanoTime,
            SecureRandom random,
            IdGenerator ids,
            MeterRegistry meters,
            PodPolicy policy,
            Optional<AuditLog> audit,
            MemoryLimits memory) {}

    public static ApiCore of(
            StateStore stateStore,
            KindTable kinds,
            TokenFile fileTokens,
            ApiLimits limits,
            RateLimit.RateLimitSettings rate,
            ApiDependencies dependencies,
            VersionInfo version) {
        Catalog catalog = kinds.catalog();
        ServiceAccountTokens accountTokens =
                new ServiceAccountTokens(fileTokens.signingKeys(), dependencies.clock(), dependencies.ids()::uid);
        LeaseCache leaseCache = new LeaseCache(stateStore.ledger()::world, dependencies.clock());
        SharedLimits shares = SharedLimits.of(limits);
        Gauge.builder("mooring.http.watches", shares.watches(), SharedLimit::total)
                .description("Open watches")
                .strongReference(true)
                .register(dependencies.meters());
        Gauge.builder("mooring.http.unread.bytes", shares.responseBytes(), SharedLimit::total)
                .description("Bytes of large responses that clients have not read yet")
                .strongReference(true)
                .register(dependencies.meters());
        return new ApiCore(
                stateStore,
                dependencies.clock(),
                limits,
                catalog,
                DiscoveryDocuments.discovery(catalog),
                DiscoveryDocuments.openApi(catalog, kinds.schemas(), version.version()),
                new ResourceWriter(
                        stateStore.ledger(),
                        dependencies.clock(),
                        dependencies.ids(),
                        leaseCache,
                        dependencies.policy()),
                leaseCache,
                new Authenticator(fileTokens, accountTokens, dependencies.clock()),
                new Authorizer(stateStore.ledger()::world),
                new RateLimit(rate, dependencies.nanoTime()),
                new TokenRequests(
                        new TokenMint(dependencies.random()),
                        accountTokens,
                        dependencies.clock(),
                        TokenRequests.DEFAULT_MAX),
                accountTokens,
                shares,
                new SlowReaders(
                        dependencies.memory(),
                        () -> stateStore.ledger().world().replacedBytes(),
                        dependencies.nanoTime()),
                new AccessLog(dependencies.meters()),
                dependencies.audit(),
                dependencies.ids(),
                dependencies.policy(),
                ApiServices.NONE);
    }

    /** Returns a copy with the given services. */
    public ApiCore with(ApiServices newServices) {
        return new ApiCore(
                stateStore,
                clock,
                limits,
                catalog,
                discovery,
                openApi,
                writer,
                leaseCache,
                authenticator,
                authorizer,
                rateLimit,
                tokenRequests,
                accountTokens,
                sharedLimits,
                slowReaders,
                access,
                audit,
                ids,
                policy,
                newServices);
    }
}
