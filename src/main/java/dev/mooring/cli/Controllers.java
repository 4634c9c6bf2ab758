package dev.mooring.cli;

import dev.mooring.cli.config.Settings;
import dev.mooring.cli.supervise.ChildSpec;
import dev.mooring.cli.supervise.Supervisor;
import dev.mooring.control.Backoff;
import dev.mooring.control.ControlParts;
import dev.mooring.control.Controller;
import dev.mooring.control.ControllerVerticle;
import dev.mooring.control.collect.GarbageCollector;
import dev.mooring.control.expire.Expiry;
import dev.mooring.control.namespace.NamespaceCleaner;
import dev.mooring.world.Spine;
import io.micrometer.core.instrument.MeterRegistry;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.function.Supplier;

/** The controllers of a server, a verticle each. */
final class Controllers {
    private final Supervisor supervisor;
    private final ControlParts parts;

    Controllers(Supervisor supervisor, Spine spine, Clock clock, MeterRegistry meters) {
        this.supervisor = supervisor;
        this.parts = new ControlParts(spine.ledger(), spine.hub(), Schedulers.io(), clock, meters, Backoff.DEFAULT);
    }

    /** Each is up when it has looked through everything there is. */
    Future<?> start(Settings settings) {
        return Future.all(
                supervise("namespaces", NamespaceCleaner::new),
                supervise("garbage-collector", GarbageCollector::new),
                supervise("expiry", () -> new Expiry(settings.events().ttl())));
    }

    private Future<Void> supervise(String name, Supplier<Controller> controller) {
        return supervisor.supervise(
                ChildSpec.required(name, supervision -> new ControllerVerticle(controller, parts, supervision::died))
                        .retried());
    }
}
