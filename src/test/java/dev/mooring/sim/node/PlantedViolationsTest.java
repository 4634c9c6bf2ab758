package dev.mooring.sim.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Worlds;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.ContainerSpec.Bind;
import dev.mooring.runtime.ContainerSpec.HostProcesses;
import dev.mooring.runtime.ContainerSpec.Network;
import dev.mooring.runtime.ContainerSpec.Own;
import dev.mooring.runtime.ContainerSpec.Propagation;
import dev.mooring.runtime.ContainerSpec.Resources;
import dev.mooring.runtime.ContainerSpec.Security;
import dev.mooring.runtime.ContainerSpec.Terminal;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.Labels;
import dev.mooring.sim.Coverage;
import dev.mooring.sim.Findings;
import dev.mooring.sim.Schedule;
import dev.mooring.volume.Access;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.PodIdentity;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.TearDown;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.nfs.NfsServers;
import dev.mooring.volume.nfs.ServerListener;
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

/** Does by hand to machines what Mooring must never do, and looks whether they tell. */
class PlantedViolationsTest {
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

    private final Schedule schedule = new Schedule(1);
    private final Findings findings = new Findings();
    private final SimStorage storage = new SimStorage(schedule, findings, new Coverage());
    private final World world = Worlds.of(WORLD);
    private final SimMachine one = machine("n1");
    private final SimMachine other = machine("n2");

    private SimMachine machine(String name) {
        SimMachine machine = new SimMachine(name, storage, new Random(3));
        machine.occupiedBy(() -> world);
        return machine;
    }

    private static SimNfs nfs(SimMachine machine) {
        return new SimNfs(machine, new NfsServers(machine.storage().schedule().clock(), ServerListener.NOBODY));
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
        SetUp what = new SetUp(
                spec(name, nfsSource(path)),
                new PodIdentity("ns", pod, pod),
                target(machine, pod, "kubernetes.io/nfs", name),
                Access.READ_WRITE,
                Optional.empty(),
                Optional.empty(),
                JsonNodeFactory.instance.objectNode());
        nfs(machine).setUp(what, Progress.IGNORED);
    }

    private static ContainerSpec container(String podName, String uid, int attempt, String instance, Bind... binds) {
        Labels.Of whose = new Labels.Of(instance, uid, podName, "ns", Labels.Role.CONTAINER, "c", attempt, 0, "", "");
        return new ContainerSpec(
                whose.containerName(),
                "busybox",
                List.of(),
                List.of(),
                Map.of(),
                "",
                whose.labels(),
                new Own(
                        Network.OWN,
                        new HostProcesses(false, false),
                        "",
                        Optional.empty(),
                        List.of(),
                        List.of(),
                        Map.of()),
                List.of(binds),
                List.of(),
                Security.PLAIN,
                Resources.PLAIN,
                Terminal.NONE,
                "");
    }

    private static Bind bind(Path source) {
        return new Bind(source, "/v", ContainerSpec.Access.READ_WRITE, Propagation.PRIVATE);
    }

    private Path nfsTarget() {
        return target(one, "u", "kubernetes.io/nfs", "v");
    }

    private String startedWithVolume() throws Exception {
        mountNfs(one, "u", "v", "/x");
        String id = one.engine().create(container("p", "u", 0, "i", bind(nfsTarget())));
        one.engine().start(id);
        assertThat(findings.all()).isEmpty();
        return id;
    }

    private void found(String invariant, String words) {
        assertThat(findings.all()).singleElement().satisfies(each -> {
            assertThat(each.invariant()).isEqualTo(invariant);
            assertThat(each.what()).contains(words);
        });
    }

    @Test
    void aContainerOnABareDirectory() throws Exception {
        one.kernel().makeDirectory(nfsTarget().toString());
        one.engine().start(one.engine().create(container("p", "u", 0, "i", bind(nfsTarget()))));
        found("I3", "bare directory");
    }

    @Test
    void aContainerOnAnotherVolume() throws Exception {
        mountNfs(one, "u", "v", "/another");
        one.engine().start(one.engine().create(container("p", "u", 0, "i", bind(nfsTarget()))));
        found("I3", "instead of");
    }

    @Test
    void whatVanishesAfterTheLastLookIsNobodysFault() throws Exception {
        mountNfs(one, "u", "v", "/x");
        one.lookedAtMounts();
        schedule.pass(Duration.ofMillis(1));
        one.vanish(one.kernel().all().get(0));
        one.engine().start(one.engine().create(container("p", "u", 0, "i", bind(nfsTarget()))));
        assertThat(findings.all()).isEmpty();
    }

    @Test
    void anUnmountUnderAContainer() throws Exception {
        startedWithVolume();
        nfs(one).tearDown(new TearDown("v", "v", "u", nfsTarget(), VolumeMode.FILESYSTEM, "nas"), Progress.IGNORED);
        found("I4", "runs with it");
    }

    @Test
    void deletedDataThatAPodHas() throws Exception {
        Place place = Place.nfs("nas", "/x");
        storage.make(place, "uid-x");
        startedWithVolume();
        try {
            new SimWorker(one).perform(work(VolumeOperation.Work.DELETE, "x", "uid-x", nfsSource("/x")));
        } catch (VolumeWorkException e) {
            assertThat(e.reason()).isEqualTo(VolumeWorkException.IN_USE);
        }
        found("I4", "deleted while it is mounted");
    }

    @Test
    void deletedDataOfABoundClaim() throws Exception {
        storage.make(Place.nfs("nas", "/pv"), "uid-pv");
        new SimWorker(one).perform(work(VolumeOperation.Work.DELETE, "pv", "uid-pv", nfsSource("/pv")));
        found("I4", "is bound to pv");
    }

    private static VolumeWork work(VolumeOperation.Work work, String volume, String uid, ObjectNode source) {
        return new VolumeWork(
                work, "mooring.dev/nfs", volume, uid, volume, Optional.of(source), VolumeMode.FILESYSTEM, 1, Map.of());
    }

    @Test
    void lostData() throws Exception {
        startedWithVolume();
        storage.check();
        assertThat(findings.all()).isEmpty();
        storage.lose(Place.nfs("nas", "/x"));
        storage.check();
        found("data lost", "/x");
    }

    @Test
    void aDeviceTakenAwayUnderPods() throws Exception {
        storage.make(Place.image("n1", "/srv/img"), "uid-img");
        SimBlock block = new SimBlock(one);
        VolumeSpec volume = spec("img", imageSource());
        String device = block.attach(volume, Progress.IGNORED);
        DeviceState state = block.mountDevice(volume, device, Access.READ_WRITE, Progress.IGNORED);
        block.setUp(
                new SetUp(
                        volume,
                        new PodIdentity("ns", "p", "u"),
                        target(one, "u", "kubernetes.io/csi", "img"),
                        Access.READ_WRITE,
                        Optional.of(state),
                        Optional.empty(),
                        JsonNodeFactory.instance.objectNode()),
                Progress.IGNORED);
        assertThat(findings.all()).isEmpty();
        try {
            block.unmountDevice(volume, state, Progress.IGNORED);
        } catch (VolumeException e) {
            assertThat(e.reason()).isEqualTo("InUse");
        }
        found("I5", "unmounted for all");
    }

    @Test
    void twoPodsWithWhatIsForOne() throws Exception {
        mountNfs(one, "u", "pv", "/pv");
        mountNfs(one, "w", "pv", "/pv");
        found("I6", "pv");
    }

    @Test
    void twoNodesWithWhatIsForOne() throws Exception {
        mountNfs(one, "u", "once", "/once");
        mountNfs(one, "w", "once", "/once");
        assertThat(findings.all()).isEmpty();
        mountNfs(other, "x", "once", "/once");
        assertThat(findings.all())
                .isNotEmpty()
                .allMatch(each -> each.invariant().equals("I6"));
    }

    @Test
    void twoContainersForOne() throws Exception {
        one.engine().start(one.engine().create(container("p", "u", 0, "i")));
        one.engine().start(one.engine().create(container("p", "u", 1, "i")));
        found("pods", "beside");
    }

    @Test
    void aContainerForAPodThatIsGone() throws Exception {
        one.engine().start(one.engine().create(container("gone", "g", 0, "i")));
        found("pods", "not to run");
    }

    @Test
    void anotherContainerOfWhatHasEndedForGood() throws Exception {
        String id = one.engine().create(container("done", "d", 0, "i"));
        one.engine().start(id);
        one.engine().containers().exit(id, 1);
        one.engine().start(one.engine().create(container("done", "d", 1, "i")));
        found("pods", "for good");
    }

    @Test
    void aCallThatNamesTheContainerOfAnother() throws EngineException, InterruptedException {
        one.engine().remove("foreign-n1");
        found("foreign", "somebody else");
    }

    @Test
    void aContainerWithoutAPodAndAMountThatNobodyKnows() throws Exception {
        startedWithVolume();
        one.compare(World.EMPTY);
        assertThat(findings.all())
                .extracting(Findings.Finding::what)
                .anyMatch(each -> each.contains("is mounted, and no ActualVolume says so"))
                .anyMatch(each -> each.contains("is there, and its Pod is not"));
        assertThat(one.leftovers())
                .anyMatch(each -> each.contains("container"))
                .anyMatch(each -> each.contains("mount"));
    }
}
