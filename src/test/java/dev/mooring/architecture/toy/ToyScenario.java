package dev.mooring.architecture.toy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.api.rules.PersistentVolumeRules;
import dev.mooring.api.rules.Violations;
import dev.mooring.control.WorldFixture;
import dev.mooring.control.persistentvolume.PersistentVolumeController;
import dev.mooring.control.persistentvolume.ProvisionController;
import dev.mooring.control.persistentvolume.ReclaimController;
import dev.mooring.host.ChildProcess;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.Scope;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.ClassParameters;
import dev.mooring.model.view.SourceType;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.node.monitor.NodeControllersFixture;
import dev.mooring.node.volumemanager.NodeContext;
import dev.mooring.node.volumemanager.OperationExecutor;
import dev.mooring.node.volumemanager.OperationObserver;
import dev.mooring.node.volumemanager.PodStateProvider;
import dev.mooring.node.volumemanager.Populator;
import dev.mooring.node.volumemanager.PreUnmountHook;
import dev.mooring.node.volumemanager.Reconciler;
import dev.mooring.node.volumemanager.VolumeOperationController;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.node.volumemanager.WorkExecutor;
import dev.mooring.node.volumemanager.WorkLimits;
import dev.mooring.volume.LinuxMounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePlugins;
import dev.mooring.volume.work.NfsSettings;
import dev.mooring.volume.work.VolumeWorkers;
import dev.mooring.volume.work.WorkerSettings;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

/** Follows a claim of the toy provisioner from its class to its deletion. Runs where only services list the toy. */
public final class ToyScenario implements Callable<Void> {
    private static final String NODE = NodeControllersFixture.NODE;

    private final NodeControllersFixture fixture = new NodeControllersFixture("""
        ---
        apiVersion: storage.k8s.io/v1
        kind: StorageClass
        metadata: {name: toys}
        provisioner: mooring.dev/toy
        parameters: {colour: red}
        reclaimPolicy: Delete
        volumeBindingMode: Immediate
        ---
        kind: PersistentVolumeClaim
        metadata: {name: data, namespace: ns}
        spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}, storageClassName: toys, volumeMode: Filesystem}
        status: {phase: Pending}
        ---
        kind: Pod
        metadata: {name: p, namespace: ns}
        spec:
          nodeName: n1
          containers: [{name: c, image: i, volumeMounts: [{name: v, mountPath: /v}]}]
          volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]
        """);
    private final WorkExecutor workers;
    private final NodeContext node;
    private final OperationExecutor operations;

    public ToyScenario(Path directory) {
        WorkContext work = fixture.context();
        VolumeWorkers all = VolumeWorkers.of(WorkerSettings.below(directory, List.of(), NfsSettings.none()));
        workers = new WorkExecutor(NODE, all::perform, WorkLimits.DEFAULT, work);
        NodeLayout layout = new NodeLayout(directory, directory);
        VolumePlugins plugins = VolumePlugins.load(new PluginContext(
                layout,
                new LinuxMounter(layout, SystemCalls.real(), new ChildProcess()),
                new ChildProcess(),
                SystemCalls.real(),
                key -> Optional.empty(),
                work.clock(),
                Duration.ofSeconds(1)));
        node = new NodeContext(NODE, layout, plugins, PodStateProvider.NONE, PreUnmountHook.NONE);
        operations = new OperationExecutor(node, OperationObserver.NONE, WorkLimits.DEFAULT, work);
    }

    @Override
    public Void call() {
        assertThat(node.plugins().all())
                .as("each plugin has a source type, and each source type a plugin")
                .extracting(VolumePlugin::name)
                .containsExactlyInAnyOrderElementsOf(
                        SourceTypes.all().stream().map(SourceType::plugin).toList());
        validate();
        provision();
        mount();
        unmount();
        delete();
        return null;
    }

    private static void validate() {
        assertThat(ClassParameters.problems(ToySource.PROVISIONER, Map.of("colour", "red"), "Delete"))
                .isEmpty();
        assertThat(ClassParameters.problems(ToySource.PROVISIONER, Map.of("color", "red"), "Delete"))
                .extracting(ClassParameters.Problem::message)
                .containsExactly("unknown parameter of mooring.dev/toy; did you mean \"colour\"?");
        assertThat(violations("{server: shelf, box: b}")).isEmpty();
        assertThat(violations("{server: shelf}")).hasSize(1).first().asString().contains("spec.toy", "must have a box");
    }

    private static List<Violations.Violation> violations(String source) {
        Violations violations = new Violations();
        new PersistentVolumeRules(Clock.systemUTC())
                .validate(WorldFixture.objects("""
                    apiVersion: v1
                    kind: PersistentVolume
                    metadata: {name: pv}
                    spec:
                      capacity: {storage: 1Gi}
                      accessModes: [ReadWriteMany]
                      persistentVolumeReclaimPolicy: Retain
                      volumeMode: Filesystem
                      toy: %s
                    """.formatted(source)).get(0), violations);
        return violations.all();
    }

    private void provision() {
        fixture.start(PersistentVolumeController::new);
        fixture.start(() -> new VolumeOperationController(NODE), workers);
        fixture.start(() -> new ProvisionController(Map.of()));

        Volume volume = volume();
        assertThat(ToyPlugin.BOXES).containsExactly(volume.uid());
        assertThat(volume.spec().path("toy").path("box").asText()).isEqualTo(volume.uid());
        assertThat(volume.spec().has("nodeAffinity")).isFalse();
        assertThat(fixture.tree("persistentvolumeclaims/ns/data")
                        .path("status")
                        .path("phase")
                        .asText())
                .isEqualTo("Bound");
    }

    private Volume volume() {
        return Volume.of(fixture.world()
                .list(Scope.resource(StorageNames.VOLUMES))
                .iterator()
                .next());
    }

    private void mount() {
        runVolumeManager();

        ActualVolume actual = ActualVolume.of(fixture.world()
                .list(Scope.resource(StorageNames.ACTUAL_VOLUMES))
                .iterator()
                .next());
        assertThat(actual.plugin()).isEqualTo(ToySource.PLUGIN);
        assertThat(actual.mounts()).hasSize(1).allMatch(ActualVolume.Mount::isMounted);
        assertThat(ToyPlugin.SET_UP).containsExactly(volume().name() + " on " + ToySource.SERVER);
    }

    private void runVolumeManager() {
        fixture.start(() -> new Populator(NODE, node.plugins(), node.containers()));
        fixture.start(() -> new Reconciler(node), operations);
    }

    private void unmount() {
        fixture.remove("pods/ns/p");
        runVolumeManager();
        assertThat(ToyPlugin.SET_UP).isEmpty();
    }

    private void delete() {
        fixture.remove("persistentvolumeclaims/ns/data");
        fixture.start(PersistentVolumeController::new);
        fixture.start(ReclaimController::new);
        fixture.start(() -> new VolumeOperationController(NODE), workers);
        assertThat(ToyPlugin.BOXES).isEmpty();
    }
}
