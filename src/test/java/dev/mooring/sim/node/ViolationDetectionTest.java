package dev.mooring.sim.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.ContainerSpec.BindMount;
import dev.mooring.runtime.ContainerSpec.ContainerResources;
import dev.mooring.runtime.ContainerSpec.HostNamespaces;
import dev.mooring.runtime.ContainerSpec.NetworkMode;
import dev.mooring.runtime.ContainerSpec.OwnNamespaces;
import dev.mooring.runtime.ContainerSpec.Propagation;
import dev.mooring.runtime.ContainerSpec.Security;
import dev.mooring.runtime.ContainerSpec.StdinSettings;
import dev.mooring.runtime.EngineException;
import dev.mooring.sim.Coverage;
import dev.mooring.sim.DeterministicScheduler;
import dev.mooring.sim.InvariantViolations;
import dev.mooring.volume.Access;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PodIdentity;
import dev.mooring.volume.RemoteServers;
import dev.mooring.volume.ServerListener;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.work.VolumeWork;
import dev.mooring.volume.work.VolumeWorkException;
import dev.mooring.world.World;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests that simulated machines report operations that Mooring must never perform. */
class ViolationDetectionTest {
    private static final String WORLD = """
        {kind: Pod, metadata: {name: p, namespace: ns, uid: u}, spec: {nodeName: n1, containers: [{name: c}],
          volumes: [{name: v, nfs: {server: nas, path: /x}}]}, status: {phase: Running}}
        ---
        {kind: Pod, metadata: {name: done, namespace: ns, uid: d}, spec: {nodeName: n1, restartPolicy: Never, containers: [{name: c}]},
         status: {phase: Running}}
        ---
        {kind: PersistentVolumeClaim, metadata: {name: data, namespace: ns}, spec: {volumeName: pv}}
        ---
        {kind: PersistentVolume, metadata: {name: pv}, spec: {accessModes: [ReadWriteOncePod], capacity: {storage: 1Gi},
          nfs: {server: nas, path: /pv}, claimRef: {namespace: ns, name: data, uid: uid-data}}, status: {phase: Bound}}
        ---
        {kind: PersistentVolume, metadata: {name: once}, spec: {accessModes: [ReadWriteOnce], nfs: {server: nas, path: /once}}}
        ---
        {kind: PersistentVolume, metadata: {name: img}, spec: {accessModes: [ReadWriteOnce],
          csi: {driver: block.mooring.dev, volumeHandle: h, volumeAttributes: {image: /srv/img}}}}
        """;

    private final DeterministicScheduler scheduler = new DeterministicScheduler(1);
    private final InvariantViolations violations = new InvariantViolations();
    private final SimStorage storage = new SimStorage(scheduler, violations, new Coverage());
    private final World world = WorldFixture.of(WORLD);
    private final SimMachine first = machine("n1");
    private final SimMachine second = machine("n2");

    private SimMachine machine(String name) {
        SimMachine machine = new SimMachine(name, storage, new Random(3));
        machine.processStarted(() -> world);
        return machine;
    }

    private static SimNfsPlugin nfs(SimMachine machine) {
        return new SimNfsPlugin(
                machine, new RemoteServers(machine.storage().scheduler().clock(), ServerListener.NO_OP));
    }

    private static ObjectNode nfsSource(String path) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("nfs").put("server", "nas").put("path", path);
        return source;
    }

    private static ObjectNode imageSource() {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("csi").putObject("volumeAttributes").put("image", "/srv/img");
        return source;
    }

    private static VolumeSpec spec(String name, ObjectNode source) {
        return new VolumeSpec(name, name, source, VolumeMode.FILESYSTEM, List.of(), 0);
    }

    private static Path target(SimMachine machine, String pod, String plugin, String name) {
        return machine.kernel().layout().volume(pod, plugin, name);
    }

    private static void mountNfs(SimMachine machine, String pod, String name, String path)
            throws VolumeException, InterruptedException {
        SetUpRequest request = new SetUpRequest(
                spec(name, nfsSource(path)),
                new PodIdentity("ns", pod, pod),
                target(machine, pod, "kubernetes.io/nfs", name),
                Access.READ_WRITE,
                Optional.empty(),
                Optional.empty(),
                JsonNodeFactory.instance.objectNode());
        nfs(machine).setUp(request, OperationProgress.NO_OP);
    }

    private static ContainerSpec container(
            String podName, String uid, int attempt, String instance, BindMount... binds) {
        ContainerLabels.ContainerIdentity identity = new ContainerLabels.ContainerIdentity(
                instance, uid, podName, "ns", ContainerLabels.ContainerRole.CONTAINER, "c", attempt, 0, "", "");
        return new ContainerSpec(
                identity.containerName(),
                "busybox",
                List.of(),
                List.of(),
                Map.of(),
                "",
                identity.toLabels(),
                new OwnNamespaces(
                        NetworkMode.OWN,
                        new HostNamespaces(false, false),
                        "",
                        Optional.empty(),
                        List.of(),
                        List.of(),
                        Map.of()),
                List.of(binds),
                List.of(),
                Security.PLAIN,
                ContainerResources.PLAIN,
                StdinSettings.NONE,
                "");
    }

    private static BindMount bind(Path source) {
        return new BindMount(source, "/v", ContainerSpec.MountAccess.READ_WRITE, Propagation.PRIVATE);
    }

    private Path nfsTarget() {
        return target(first, "u", "kubernetes.io/nfs", "v");
    }

    private String startedWithVolume() throws Exception {
        mountNfs(first, "u", "v", "/x");
        String id = first.engine().create(container("p", "u", 0, "i", bind(nfsTarget())));
        first.engine().start(id);
        assertThat(violations.all()).isEmpty();
        return id;
    }

    private void expectViolation(String invariant, String message) {
        assertThat(violations.all()).singleElement().satisfies(each -> {
            assertThat(each.invariant()).isEqualTo(invariant);
            assertThat(each.message()).contains(message);
        });
    }

    @Test
    void container_startedOnBareDirectory_reportsI3() throws Exception {
        first.kernel().makeDirectory(nfsTarget().toString());
        first.engine().start(first.engine().create(container("p", "u", 0, "i", bind(nfsTarget()))));
        expectViolation("I3", "bare directory");
    }

    @Test
    void container_startedWithDataOfAnotherVolume_reportsI3() throws Exception {
        mountNfs(first, "u", "v", "/another");
        first.engine().start(first.engine().create(container("p", "u", 0, "i", bind(nfsTarget()))));
        expectViolation("I3", "instead of");
    }

    @Test
    void container_mountVanishedAfterLastCheck_reportsNothing() throws Exception {
        mountNfs(first, "u", "v", "/x");
        first.recordMountCheck();
        scheduler.advance(Duration.ofMillis(1));
        first.vanish(first.kernel().all().get(0));
        first.engine().start(first.engine().create(container("p", "u", 0, "i", bind(nfsTarget()))));
        assertThat(violations.all()).isEmpty();
    }

    @Test
    void unmount_whileContainerRuns_reportsI4() throws Exception {
        startedWithVolume();
        nfs(first)
                .tearDown(
                        new TearDownRequest("v", "v", "u", nfsTarget(), VolumeMode.FILESYSTEM, "nas"),
                        OperationProgress.NO_OP);
        expectViolation("I4", "runs with it");
    }

    @Test
    void deletionOfData_whileMounted_reportsI4() throws Exception {
        DataLocation location = DataLocation.nfs("nas", "/x");
        storage.make(location, "uid-x");
        startedWithVolume();
        try {
            new SimWorker(first).perform(work(VolumeOperation.OperationType.DELETE, "x", "uid-x", nfsSource("/x")));
        } catch (VolumeWorkException e) {
            assertThat(e.reason()).isEqualTo(VolumeWorkException.IN_USE);
        }
        expectViolation("I4", "deleted while it is mounted");
    }

    @Test
    void deletionOfData_ofBoundClaim_reportsI4() throws Exception {
        storage.make(DataLocation.nfs("nas", "/pv"), "uid-pv");
        new SimWorker(first).perform(work(VolumeOperation.OperationType.DELETE, "pv", "uid-pv", nfsSource("/pv")));
        expectViolation("I4", "is bound to pv");
    }

    private static VolumeWork work(VolumeOperation.OperationType work, String volume, String uid, ObjectNode source) {
        return new VolumeWork(
                work,
                "mooring.dev/nfs",
                volume,
                uid,
                volume,
                Optional.of(source),
                VolumeMode.FILESYSTEM,
                1,
                Map.of(),
                Optional.empty());
    }

    @Test
    void writtenData_lost_reportsDataLost() throws Exception {
        startedWithVolume();
        storage.check();
        assertThat(violations.all()).isEmpty();
        storage.lose(DataLocation.nfs("nas", "/x"));
        storage.check();
        expectViolation("data lost", "/x");
    }

    @Test
    void unmountDevice_whileMountedForPod_reportsI5() throws Exception {
        storage.make(DataLocation.image("n1", "/srv/img"), "uid-img");
        SimBlockPlugin block = new SimBlockPlugin(first);
        VolumeSpec volume = spec("img", imageSource());
        String device = block.attach(volume, OperationProgress.NO_OP);
        DeviceState state = block.mountDevice(volume, device, Access.READ_WRITE, OperationProgress.NO_OP);
        block.setUp(
                new SetUpRequest(
                        volume,
                        new PodIdentity("ns", "p", "u"),
                        target(first, "u", "kubernetes.io/csi", "img"),
                        Access.READ_WRITE,
                        Optional.of(state),
                        Optional.empty(),
                        JsonNodeFactory.instance.objectNode()),
                OperationProgress.NO_OP);
        assertThat(violations.all()).isEmpty();
        try {
            block.unmountDevice(volume, state, OperationProgress.NO_OP);
        } catch (VolumeException e) {
            assertThat(e.reason()).isEqualTo("InUse");
        }
        expectViolation("I5", "unmounted for all");
    }

    @Test
    void readWriteOncePodVolume_mountedForSecondPod_reportsI6() throws Exception {
        mountNfs(first, "u", "pv", "/pv");
        mountNfs(first, "w", "pv", "/pv");
        expectViolation("I6", "pv");
    }

    @Test
    void readWriteOnceVolume_mountedOnSecondNode_reportsI6() throws Exception {
        mountNfs(first, "u", "once", "/once");
        mountNfs(first, "w", "once", "/once");
        assertThat(violations.all()).isEmpty();
        mountNfs(second, "x", "once", "/once");
        assertThat(violations.all())
                .isNotEmpty()
                .allMatch(each -> each.invariant().equals("I6"));
    }

    @Test
    void container_startedWhileSameContainerRuns_reportsPods() throws Exception {
        first.engine().start(first.engine().create(container("p", "u", 0, "i")));
        first.engine().start(first.engine().create(container("p", "u", 1, "i")));
        expectViolation("pods", "is started while");
    }

    @Test
    void container_startedForMissingPod_reportsPods() throws Exception {
        first.engine().start(first.engine().create(container("gone", "g", 0, "i")));
        expectViolation("pods", "must not run");
    }

    @Test
    void container_startedAfterItFinished_reportsPods() throws Exception {
        String id = first.engine().create(container("done", "d", 0, "i"));
        first.engine().start(id);
        first.engine().containers().exit(id, 1);
        first.engine().start(first.engine().create(container("done", "d", 1, "i")));
        expectViolation("pods", "has finished");
    }

    @Test
    void engineCall_forForeignContainer_reportsForeign() throws EngineException, InterruptedException {
        first.engine().remove("foreign-n1");
        expectViolation("foreign", "foreign container");
    }

    @Test
    void machine_comparedWithEmptyWorld_reportsContainerAndMount() throws Exception {
        startedWithVolume();
        first.compare(World.EMPTY);
        assertThat(violations.all())
                .extracting(InvariantViolations.InvariantViolation::message)
                .anyMatch(each -> each.contains("is mounted without an ActualVolume"))
                .anyMatch(each -> each.contains("exists, but its Pod does not"));
        assertThat(first.leftovers())
                .anyMatch(each -> each.contains("container"))
                .anyMatch(each -> each.contains("mount"));
    }
}
