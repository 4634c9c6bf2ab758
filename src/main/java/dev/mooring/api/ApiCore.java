package dev.mooring.api;

import dev.mooring.api.auth.Authenticator;
import dev.mooring.api.auth.RateLimit;
import dev.mooring.api.auth.TokenMint;
import dev.mooring.api.auth.TokenRequests;
import dev.mooring.api.catalog.Catalog;
import dev.mooring.api.catalog.KindTable;
import dev.mooring.api.catalog.Served;
import dev.mooring.api.chaos.ChaosDesk;
import dev.mooring.api.container.ContainerAccess;
import dev.mooring.api.discovery.Discovery;
import dev.mooring.api.http.AccessLog;
import dev.mooring.api.openapi.OpenApi;
import dev.mooring.api.policy.PodPolicy;
import dev.mooring.api.resource.Heartbeats;
import dev.mooring.api.resource.Ids;
import dev.mooring.api.resource.Writer;
import dev.mooring.api.tls.Tokens;
import dev.mooring.world.Spine;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * What all event loops of the API share, and what outlives a restart of its verticle. Thread-safe.
 *
 * @param watches how many are open
 * @param bodies room for requests that are arriving
 * @param containers the way to what runs in Pods
 * @param policy what Pods may have of the machine, and therefore who may enter which
 * @param chaos where faults are asked for, if they can be
 */
public record ApiCore(
        Spine spine,
        Clock clock,
        ApiLimits limits,
        Catalog catalog,
        Discovery discovery,
        OpenApi openApi,
        Writer writer,
        Heartbeats heartbeats,
        Authenticator authenticator,
        RateLimit rateLimit,
        TokenRequests tokenRequests,
        AtomicInteger watches,
        BodyRoom bodies,
        AccessLog access,
        ContainerAccess containers,
        PodPolicy policy,
        Optional<ChaosDesk> chaos) {

    /**
     * What is handed in from outside.
     *
     * @param nanoTime for measuring how much time has passed
     * @param policy what Pods may have of the machine
     */
    public record Surroundings(
            Clock clock, LongSupplier nanoTime, SecureRandom random, Ids ids, MeterRegistry meters, PodPolicy policy) {}

    public static ApiCore of(
            Spine spine,
            KindTable kinds,
            Tokens fileTokens,
            ApiLimits limits,
            RateLimit.Settings rate,
            Surroundings around,
            VersionInfo version) {
        Catalog catalog = kinds.catalog();
        Heartbeats heartbeats = new Heartbeats(spine.ledger()::world, around.clock());
        AtomicInteger watches = new AtomicInteger();
        Gauge.builder("mooring.http.watches", watches, AtomicInteger::get)
                .description("Open watches")
                .strongReference(true)
                .register(around.meters());
        return new ApiCore(
                spine,
                around.clock(),
                limits,
                catalog,
                Served.discovery(catalog),
                Served.openApi(catalog, kinds.schemas(), version.version()),
                new Writer(spine.ledger(), around.clock(), around.ids(), heartbeats, around.policy()),
                heartbeats,
                new Authenticator(fileTokens, around.clock()),
                new RateLimit(rate, around.nanoTime()),
                new TokenRequests(new TokenMint(around.random()), around.clock(), TokenRequests.DEFAULT_MAX),
                watches,
                new BodyRoom(Limits.BODIES_BYTES),
                new AccessLog(around.meters()),
                ContainerAccess.none("this node runs no containers"),
                around.policy(),
                Optional.empty());
    }

    /** The same, with a way to the containers of Pods. */
    public ApiCore reaching(ContainerAccess wayToContainers) {
        return new ApiCore(
                spine,
                clock,
                limits,
                catalog,
                discovery,
                openApi,
                writer,
                heartbeats,
                authenticator,
                rateLimit,
                tokenRequests,
                watches,
                bodies,
                access,
                wayToContainers,
                policy,
                chaos);
    }

    /** The same, with a place to ask for faults. */
    public ApiCore withChaos(Optional<ChaosDesk> desk) {
        return new ApiCore(
                spine,
                clock,
                limits,
                catalog,
                discovery,
                openApi,
                writer,
                heartbeats,
                authenticator,
                rateLimit,
                tokenRequests,
                watches,
                bodies,
                access,
                containers,
                policy,
                desk);
    }
}
