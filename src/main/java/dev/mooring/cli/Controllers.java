package dev.mooring.cli;

import dev.mooring.cli.config.Settings;
import dev.mooring.cli.supervise.ChildSpec;
import dev.mooring.cli.supervise.Supervisor;
import dev.mooring.control.ControlParts;
import dev.mooring.control.Controller;
import dev.mooring.control.ControllerVerticle;
import dev.mooring.control.attach.AttachDetach;
import dev.mooring.control.bind.Binder;
import dev.mooring.control.collect.GarbageCollector;
import dev.mooring.control.ephemeral.EphemeralClaims;
import dev.mooring.control.expand.Expander;
import dev.mooring.control.expire.Expiry;
import dev.mooring.control.lifecycle.Beats;
import dev.mooring.control.lifecycle.NodeLifecycle;
import dev.mooring.control.lifecycle.StrandedPods;
import dev.mooring.control.namespace.NamespaceCleaner;
import dev.mooring.control.protect.ClaimProtection;
import dev.mooring.control.protect.VolumeProtection;
import dev.mooring.control.provision.ProvisionController;
import dev.mooring.control.reclaim.Reclaimer;
import dev.mooring.control.schedule.Scheduler;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

/** The controllers of a server, a verticle each. */
final class Controllers {
    private final Supervisor supervisor;
    private final ControlParts parts;

    Controllers(Supervisor supervisor, ControlParts parts) {
        this.supervisor = supervisor;
        this.parts = parts;
    }

    /** Each is up when it has looked through everything there is. */
    Future<?> start(Settings settings, Beats beats) {
        Instant started = parts.clock().instant();
        return Future.all(List.of(
                supervise("namespaces", NamespaceCleaner::new),
                supervise("garbage-collector", GarbageCollector::new),
                supervise("expiry", () -> new Expiry(settings.events().ttl())),
                supervise("binder", Binder::new),
                supervise("ephemeral-claims", EphemeralClaims::new),
                supervise("provisioner", ProvisionController::new),
                supervise("claim-protection", ClaimProtection::new),
                supervise("volume-protection", VolumeProtection::new),
                supervise("reclaimer", Reclaimer::new),
                supervise("expander", Expander::new),
                supervise("attach-detach", AttachDetach::new),
                supervise("scheduler", Scheduler::new),
                supervise("stranded-pods", StrandedPods::new),
                supervise("node-lifecycle", () -> new NodeLifecycle(beats, NodeLifecycle.DEFAULT_GRACE, started))));
    }

    private Future<Void> supervise(String name, Supplier<Controller> controller) {
        return supervisor.supervise(
                ChildSpec.part(name, supervision -> new ControllerVerticle(controller, parts, supervision::died)));
    }
}
