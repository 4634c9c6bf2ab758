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
import dev.mooring.control.lifecycle.ResourceQuotaController;
import dev.mooring.control.persistentvolume.EphemeralVolumeController;
import dev.mooring.control.persistentvolume.ExpandController;
import dev.mooring.control.persistentvolume.PersistentVolumeController;
import dev.mooring.control.persistentvolume.ProvisionController;
import dev.mooring.control.persistentvolume.ReclaimController;
import dev.mooring.control.protection.ClaimProtectionController;
import dev.mooring.control.protection.VolumeProtectionController;
import dev.mooring.control.schedule.PodScheduler;
import dev.mooring.control.service.EndpointSliceController;
import dev.mooring.control.workloads.CronJobController;
import dev.mooring.control.workloads.DaemonSetController;
import dev.mooring.control.workloads.DeploymentController;
import dev.mooring.control.workloads.JobController;
import dev.mooring.control.workloads.PodAdmission;
import dev.mooring.control.workloads.ReplicaSetController;
import dev.mooring.control.workloads.StatefulSetController;
import dev.mooring.model.ServiceRange;
import dev.mooring.model.view.ClassParameters;
import dev.mooring.model.view.NfsSource;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The controllers of a server, one verticle each. */
final class Controllers {
    private final Supervisor supervisor;
    private final ControlContext controlContext;

    Controllers(Supervisor supervisor, ControlContext controlContext) {
        this.supervisor = supervisor;
        this.controlContext = controlContext;
    }

    /**
     * Settings that controllers depend on.
     *
     * @param eventTtl how long Events are kept
     * @param provisioning class parameters for classes that do not set them, by provisioner
     * @param podAdmission completes and checks the Pods of workloads
     * @param started when the process started
     */
    record ControllerSettings(
            Duration eventTtl,
            Map<String, Map<String, String>> provisioning,
            NodeHeartbeats heartbeats,
            PodAdmission podAdmission,
            Instant started) {}

    /** Returns the controllers by the name of their verticle. */
    static Map<String, Supplier<Controller>> all(ControllerSettings settings) {
        Map<String, Supplier<Controller>> all = new LinkedHashMap<>();
        all.put("namespaces", NamespaceController::new);
        all.put("garbage-collector", GarbageCollector::new);
        all.put("resource-quotas", ResourceQuotaController::new);
        all.put("expiry", () -> new ExpiryController(settings.eventTtl()));
        all.put("binder", PersistentVolumeController::new);
        all.put("ephemeral-claims", EphemeralVolumeController::new);
        all.put("provisioner", () -> new ProvisionController(settings.provisioning()));
        all.put("claim-protection", ClaimProtectionController::new);
        all.put("volume-protection", VolumeProtectionController::new);
        all.put("reclaimer", ReclaimController::new);
        all.put("expander", ExpandController::new);
        all.put("attach-detach", AttachDetachController::new);
        all.put("daemonsets", () -> new DaemonSetController(settings.podAdmission()));
        all.put("deployments", DeploymentController::new);
        all.put("statefulsets", () -> new StatefulSetController(settings.podAdmission()));
        all.put("jobs", () -> new JobController(settings.podAdmission()));
        all.put("cronjobs", CronJobController::new);
        all.put("replicasets", () -> new ReplicaSetController(settings.podAdmission()));
        all.put("endpoint-slices", EndpointSliceController::new);
        all.put("scheduler", PodScheduler::new);
        all.put("pod-garbage-collector", PodGarbageCollector::new);
        all.put(
                "node-lifecycle",
                () -> new NodeLifecycleController(
                        settings.heartbeats(), NodeLifecycleController.DEFAULT_GRACE, settings.started()));
        return all;
    }

    /** Returns the class parameters for classes that do not set them, by provisioner. */
    static Map<String, Map<String, String>> provisioning(Settings.VolumeSettings.Nfs nfs) {
        return Map.of(
                NfsSource.PROVISIONER,
                Map.of(
                        ClassParameters.SERVER,
                        nfs.server(),
                        ClassParameters.SHARE,
                        NodeAgent.share(nfs).toString()));
    }

    /** Starts the controllers. Each is up when its initial sync is complete. */
    Future<?> start(Settings settings, NodeHeartbeats heartbeats, PodAdmission podAdmission) {
        return Future.all(all(new ControllerSettings(
                        settings.events().ttl(),
                        provisioning(settings.volumes().nfs()),
                        heartbeats,
                        podAdmission,
                        controlContext.clock().instant()))
                .entrySet()
                .stream()
                .map(each -> supervise(each.getKey(), each.getValue()))
                .toList());
    }

    /** Publishes the API's address; called once the API listens. */
    Future<Void> publish(Optional<ServiceRange> services, String address, int port, String authorityPem) {
        return supervise(
                "api-publisher", () -> new ApiPublisher(services.map(ServiceRange::api), address, port, authorityPem));
    }

    private Future<Void> supervise(String name, Supplier<Controller> controller) {
        return supervisor.supervise(ChildSpec.optional(
                name, supervision -> new ControllerVerticle(controller, controlContext, supervision::reportFailure)));
    }
}
