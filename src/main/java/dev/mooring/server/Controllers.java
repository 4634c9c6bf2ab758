package dev.mooring.server;

import dev.mooring.control.ControlContext;
import dev.mooring.control.Controller;
import dev.mooring.control.ControllerVerticle;
import dev.mooring.control.attach.AttachDetachController;
import dev.mooring.control.lifecycle.ApiPublisher;
import dev.mooring.control.lifecycle.ExpiryController;
import dev.mooring.control.lifecycle.GarbageCollector;
import dev.mooring.control.lifecycle.NamespaceController;
import dev.mooring.control.lifecycle.NodeHeartbeats;
import dev.mooring.control.lifecycle.NodeLifecycleController;
import dev.mooring.control.lifecycle.PodGarbageCollector;
import dev.mooring.control.persistentvolume.EphemeralVolumeController;
import dev.mooring.control.persistentvolume.ExpandController;
import dev.mooring.control.persistentvolume.PersistentVolumeController;
import dev.mooring.control.persistentvolume.ProvisionController;
import dev.mooring.control.persistentvolume.ReclaimController;
import dev.mooring.control.protection.ClaimProtectionController;
import dev.mooring.control.protection.VolumeProtectionController;
import dev.mooring.control.schedule.PodScheduler;
import dev.mooring.model.view.ClassParameters;
import dev.mooring.model.view.NfsSource;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The controllers of a server, one verticle each. */
final class Controllers {
    private final Supervisor supervisor;
    private final ControlContext controlContext;

    Controllers(Supervisor supervisor, ControlContext controlContext) {
        this.supervisor = supervisor;
        this.controlContext = controlContext;
    }

    /** Starts the controllers. Each is up when its initial sync is complete. */
    Future<?> start(Settings settings, NodeHeartbeats heartbeats) {
        Instant started = controlContext.clock().instant();
        Settings.VolumeSettings.Nfs volumes = settings.volumes().nfs();
        Map<String, String> share = Map.of(
                ClassParameters.SERVER,
                volumes.server(),
                ClassParameters.SHARE,
                NodeAgent.share(volumes).toString());
        return Future.all(List.of(
                supervise("namespaces", NamespaceController::new),
                supervise("garbage-collector", GarbageCollector::new),
                supervise("expiry", () -> new ExpiryController(settings.events().ttl())),
                supervise("binder", PersistentVolumeController::new),
                supervise("ephemeral-claims", EphemeralVolumeController::new),
                supervise("provisioner", () -> new ProvisionController(Map.of(NfsSource.PROVISIONER, share))),
                supervise("claim-protection", ClaimProtectionController::new),
                supervise("volume-protection", VolumeProtectionController::new),
                supervise("reclaimer", ReclaimController::new),
                supervise("expander", ExpandController::new),
                supervise("attach-detach", AttachDetachController::new),
                supervise("scheduler", PodScheduler::new),
                supervise("pod-garbage-collector", PodGarbageCollector::new),
                supervise(
                        "node-lifecycle",
                        () -> new NodeLifecycleController(
                                heartbeats, NodeLifecycleController.DEFAULT_GRACE, started))));
    }

    /** Publishes the API's address; called once the API listens. */
    Future<Void> publish(String address, int port, String authorityPem) {
        return supervise("api-publisher", () -> new ApiPublisher(address, port, authorityPem));
    }

    private Future<Void> supervise(String name, Supplier<Controller> controller) {
        return supervisor.supervise(ChildSpec.optional(
                name, supervision -> new ControllerVerticle(controller, controlContext, supervision::reportFailure)));
    }
}
