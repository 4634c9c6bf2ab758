package dev.mooring.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.attach.AttachDetachController;
import dev.mooring.control.lifecycle.ApiPublisher;
import dev.mooring.control.lifecycle.ExpiryController;
import dev.mooring.control.lifecycle.GarbageCollector;
import dev.mooring.control.lifecycle.NamespaceController;
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
import dev.mooring.control.workloads.ReplicaSetController;
import dev.mooring.control.workloads.StatefulSetController;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.ServiceRange;
import dev.mooring.node.monitor.MountHealthController;
import dev.mooring.node.monitor.UsageCache;
import dev.mooring.node.monitor.UsageController;
import dev.mooring.node.monitor.VolumeMetrics;
import dev.mooring.node.network.ServiceProxyController;
import dev.mooring.node.status.VolumesInUse;
import dev.mooring.node.volumemanager.DiscoveredReclaimer;
import dev.mooring.node.volumemanager.NodeContext;
import dev.mooring.node.volumemanager.PodDirectoryController;
import dev.mooring.node.volumemanager.Populator;
import dev.mooring.node.volumemanager.PreUnmountHook;
import dev.mooring.node.volumemanager.Reconciler;
import dev.mooring.node.volumemanager.VolumeManagerFixture;
import dev.mooring.node.volumemanager.VolumeOperationController;
import dev.mooring.world.World;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Asks every controller about Worlds of the past. Nothing may happen, and the answer may not depend on questions. */
class PureControllersTest extends SinglePodFixture {
    /** Controllers that remember decisions which are not committed yet, and so do not repeat them at once. */
    private static final Set<Class<?>> WITH_DECISIONS_IN_FLIGHT =
            Set.of(PersistentVolumeController.class, PodScheduler.class);

    private static final String OBJECTS = """
        {kind: Namespace, metadata: {name: ns}}
        ---
        {kind: Namespace, metadata: {name: gone, deletionTimestamp: "2026-01-01T00:00:00Z"}, spec: {finalizers: [kubernetes]}}
        ---
        {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: disk}, provisioner: mooring.dev/hostpath}
        ---
        {kind: PersistentVolumeClaim, metadata: {name: data, namespace: ns},
         spec: {storageClassName: disk, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}
        ---
        {kind: ResourceQuota, metadata: {name: quota, namespace: ns}, spec: {hard: {requests.storage: 5Gi, pods: 9}}}
        ---
        {apiVersion: batch/v1, kind: Job, metadata: {name: once, namespace: ns, uid: j1}, spec: {completions: 1,
         selector: {matchLabels: {job: once}}, template: {metadata: {labels: {job: once}}, spec: {restartPolicy: Never,
         containers: [{name: c, image: busybox}]}}}}
        ---
        {apiVersion: batch/v1, kind: CronJob, metadata: {name: often, namespace: ns, uid: j2,
         creationTimestamp: "2026-01-01T00:00:00Z"}, spec: {schedule: "* * * * *", jobTemplate: {spec: {template: {spec: {
         restartPolicy: Never, containers: [{name: c, image: busybox}]}}}}}}
        ---
        {kind: PersistentVolume, metadata: {name: old},
         spec: {storageClassName: disk, capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /data},
                persistentVolumeReclaimPolicy: Delete}}
        ---
        {kind: Service, metadata: {name: web, namespace: ns, uid: s1}, spec: {clusterIP: 10.96.0.7, selector: {app: p},
         ports: [{port: 80, targetPort: 80}]}}
        ---
        {kind: Pod, metadata: {name: waiting, namespace: ns, uid: u2}, spec: {containers: [{name: c, image: busybox}],
         volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]}}
        ---
        {kind: Pod, metadata: {name: pulling, namespace: ns, uid: u4},
         spec: {nodeName: n1, containers: [{name: c, image: absent, imagePullPolicy: Never}]}}
        ---
        {kind: Pod, metadata: {name: stranded, namespace: ns, uid: u3, deletionTimestamp: "2026-01-01T00:00:00Z"},
         spec: {nodeName: missing, containers: [{name: c, image: busybox}]}}
        ---
        {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web, namespace: ns, generation: 1},
         spec: {replicas: 2, selector: {matchLabels: {app: web}},
                template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: busybox}]}}}}
        ---
        {apiVersion: apps/v1, kind: Deployment, metadata: {name: site, namespace: ns, generation: 1},
         spec: {replicas: 2, selector: {matchLabels: {app: site}},
                template: {metadata: {labels: {app: site}}, spec: {containers: [{name: c, image: busybox}]}}}}
        ---
        {apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: ns, generation: 1},
         spec: {replicas: 2, selector: {matchLabels: {app: db}},
                template: {metadata: {labels: {app: db}}, spec: {containers: [{name: c, image: busybox}]}}}}
        ---
        {apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent, namespace: ns, generation: 1},
         spec: {selector: {matchLabels: {app: agent}},
                template: {metadata: {labels: {app: agent}}, spec: {containers: [{name: c, image: busybox}]}}}}
        ---
        {apiVersion: mooring.dev/v1, kind: VolumeOperation, metadata: {name: make},
         spec: {operation: Provision, node: n1, provisioner: mooring.dev/hostpath, persistentVolume: pv, path: pv, capacity: 1Gi}}
        ---
        {apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: export},
         spec: {node: n1, plugin: kubernetes.io/nfs, source: {nfs: {server: nas, path: /x}}, claim: {namespace: ns, name: data}},
         status: {mounts: [{state: Mounted, path: /x, pod: {namespace: ns, name: p, uid: u1}}]}}
        """;

    private List<Supplier<Controller>> controllers() {
        Clock clock = Clock.systemUTC();
        UsageCache usage = new UsageCache(clock);
        NodeContext context = new NodeContext(
                "n1", VolumeManagerFixture.LAYOUT, node.volumes.kernel.plugins(), node.cache, PreUnmountHook.NONE);
        return List.of(
                AttachDetachController::new,
                () -> new ApiPublisher(Optional.empty(), "10.0.0.1", 6443, "pem"),
                () -> new ExpiryController(Duration.ofHours(1)),
                GarbageCollector::new,
                NamespaceController::new,
                () -> new NodeLifecycleController(name -> Optional.empty(), Duration.ofSeconds(40), Instant.EPOCH),
                PodGarbageCollector::new,
                ResourceQuotaController::new,
                CronJobController::new,
                () -> new JobController((world, pod) -> Optional.empty()),
                EndpointSliceController::new,
                EphemeralVolumeController::new,
                ExpandController::new,
                PersistentVolumeController::new,
                () -> new ProvisionController(Map.of()),
                ReclaimController::new,
                ClaimProtectionController::new,
                VolumeProtectionController::new,
                PodScheduler::new,
                DeploymentController::new,
                () -> new DaemonSetController((world, pod) -> Optional.empty()),
                () -> new ReplicaSetController((world, pod) -> Optional.empty()),
                () -> new StatefulSetController((world, pod) -> Optional.empty()),
                () -> new MountHealthController("n1"),
                () -> new UsageController("n1", usage, new VolumeMetrics(usage, clock, () -> 0, Map::of)),
                () -> new PodController(node.context),
                () -> new PodsWithoutRuntime("n1"),
                () -> new VolumesInUse("n1"),
                () -> new DiscoveredReclaimer("n1"),
                () -> new PodDirectoryController("n1", node.cache),
                () -> new Populator("n1", context.plugins(), node.cache),
                () -> new Reconciler(context),
                () -> new VolumeOperationController("n1"),
                () -> new ServiceProxyController(ServiceRange.DEFAULT));
    }

    /** Returns the Worlds of a Pod's start and deletion. */
    private List<World> pastWorlds() {
        List<World> worlds = new ArrayList<>();
        node.volumes.controllers().observe((before, event) -> worlds.add(before));
        node.volumes.put(OBJECTS);
        node.put(pod("Always", container("")));
        node.settle();
        node.delete("p", 30);
        worlds.add(node.volumes.world());
        return worlds;
    }

    private static Controller informed(Supplier<Controller> supplier, World world) {
        Controller controller = supplier.get();
        deliver(world, controller);
        return controller;
    }

    /** Delivers all objects of a World to a controller. Returns the keys that it enqueues. */
    private static Set<ObjectKey> deliver(World world, Controller controller) {
        Set<ObjectKey> keys = new LinkedHashSet<>();
        Controller.Enqueuer queue = new Controller.Enqueuer() {
            @Override
            public void enqueue(ObjectKey key) {
                keys.add(key);
            }

            @Override
            public void enqueueWithin(ObjectKey key, Duration delay) {
                keys.add(key);
            }
        };
        for (Scope scope : controller.scopes()) {
            world.list(scope)
                    .forEach(object -> controller.onChange(Change.put(object, 0), Optional.empty(), world, queue));
        }
        return keys;
    }

    @Test
    void everyController_ofTheProgram_isTested() throws IOException {
        Set<String> found = new TreeSet<>();
        try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
            for (Path each :
                    sources.filter(file -> file.toString().endsWith(".java")).toList()) {
                if (Files.readString(each).contains(" implements Controller {")) {
                    found.add(each.getFileName().toString().replace(".java", ""));
                }
            }
        }
        assertThat(controllers().stream().map(each -> each.get().getClass().getSimpleName()))
                .containsExactlyInAnyOrderElementsOf(found);
    }

    @Test
    void reconcile_askedTwiceAndAboutPastWorlds_decidesTheSameAndStartsNothing() {
        List<World> worlds = pastWorlds();
        Set<String> effects = ask(worlds);
        node.engine.exit(newestContainer().id(), 1);
        while (!node.engine.pendingEvents.isEmpty()) {
            node.deliverRuntimeEvents();
        }
        effects.addAll(ask(worlds));
        assertThat(effects)
                .contains("StartOperation", "RunVolumeOperation", "RunAction", "RequestImage", "SweepDirectories")
                .contains("ProbeMounts", "Measure", "ReadTerminationMessage", "NoteVolumeWait", "EnqueuePods");
    }

    /** Asks every controller about every World, each question twice. Returns the effects they decide on. */
    private Set<String> ask(List<World> worlds) {
        Instant now = node.volumes.controllers().now();
        List<Runnable> threads = List.copyOf(node.volumes.threads);
        List<Runnable> commits = List.copyOf(node.volumes.commits);
        Map<String, Integer> calls = Map.copyOf(node.engine.calls);
        Set<String> effects = new TreeSet<>();
        for (Supplier<Controller> supplier : controllers()) {
            Controller live = supplier.get();
            Set<ObjectKey> keys = deliver(node.volumes.world(), live);
            boolean remembers = WITH_DECISIONS_IN_FLIGHT.contains(live.getClass());
            for (World world : worlds) {
                Controller asked = supplier.get();
                keys.addAll(deliver(world, asked));
                for (ObjectKey key : keys) {
                    Decision decision = (remembers ? informed(supplier, world) : asked).reconcile(world, key, now);
                    live.reconcile(world, key, now);
                    assertThat((remembers ? informed(supplier, world) : asked).reconcile(world, key, now))
                            .as("%s about %s at %s", live.metricName(), key, world.revision())
                            .isEqualTo(decision);
                    decision.effects()
                            .forEach(each -> effects.add(each.getClass().getSimpleName()));
                }
            }
        }
        assertThat(node.volumes.threads).containsExactlyElementsOf(threads);
        assertThat(node.volumes.commits).containsExactlyElementsOf(commits);
        assertThat(node.engine.calls).isEqualTo(calls);
        return effects;
    }
}
