package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ConfigMapList;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.StatusDetails;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the fabric8 client, the common Kubernetes client for Java, with the server's own kubeconfig. */
@Timeout(180)
class Fabric8ClientTest {
    /** The client's own limits are too short for a busy machine. */
    static final int TIMEOUT_MILLIS = 90_000;

    @TempDir
    private static Path data;

    private static Server server;
    private static KubernetesClient client;
    private Fabric8AccessLog access;

    @BeforeAll
    static void start() {
        server = ServerFixture.start(data);
        client = client(server, WatchTransport.HTTP);
    }

    /** Transport of the client's watches; by default the client tries a WebSocket first. */
    private enum WatchTransport {
        HTTP,
        WEB_SOCKET
    }

    private static KubernetesClient client(Server server, WatchTransport transport) {
        Config config = Config.fromKubeconfig(server.kubeconfig().toFile());
        config.setOnlyHttpWatches(transport == WatchTransport.HTTP);
        config.setConnectionTimeout(TIMEOUT_MILLIS);
        config.setRequestTimeout(TIMEOUT_MILLIS);
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    @BeforeEach
    void listen() {
        access = Fabric8AccessLog.listen();
    }

    @AfterEach
    void assertNoUnexpectedFailures() {
        access.close();
        assertThat(access.failures()).allMatch(line -> line.contains("/gone "));
    }

    /** Manifests of one object of each served kind. */
    static List<String> everyKind() {
        return List.of(
                "{apiVersion: v1, kind: Namespace, metadata: {name: every}}",
                "{apiVersion: v1, kind: ConfigMap, metadata: {name: every, namespace: default}, data: {a: b}}",
                "{apiVersion: v1, kind: Secret, metadata: {name: every, namespace: default}, stringData: {a: b}}",
                "{apiVersion: v1, kind: ServiceAccount, metadata: {name: every, namespace: default}}",
                "{apiVersion: v1, kind: Event, metadata: {name: every, namespace: default}, reason: R, message: m,"
                        + " type: Normal, involvedObject: {kind: Pod, name: p, namespace: default}}",
                "{apiVersion: v1, kind: Node, metadata: {name: every}}",
                "{apiVersion: v1, kind: Pod, metadata: {name: every, namespace: default}, spec: {containers: [{name: c,"
                        + " image: i}]}}",
                "{apiVersion: v1, kind: PersistentVolume, metadata: {name: every}, spec: {capacity: {storage: 1Gi},"
                        + " accessModes: [ReadWriteOnce], hostPath: {path: /tmp/x}}}",
                "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: every, namespace: default}, spec:"
                        + " {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}",
                "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: every, namespace: default}, spec:"
                        + " {holderIdentity: me, leaseDurationSeconds: 10}}",
                "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: every}, provisioner: p.example}",
                "{apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {name: every}, spec: {attacher:"
                        + " a.example, nodeName: n, source: {persistentVolumeName: v}}}",
                "{apiVersion: mooring.dev/v1, kind: Token, metadata: {name: every}, spec: {role: view, sha256: "
                        + "a".repeat(64) + "}}",
                "{apiVersion: mooring.dev/v1, kind: DesiredVolume, metadata: {name: every}, spec: {node: n, plugin:"
                        + " kubernetes.io/nfs, volumeName: v, pod: {namespace: default, name: p, uid: u}}}",
                "{apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: every}, spec: {node: n, plugin:"
                        + " kubernetes.io/nfs}}");
    }

    @ParameterizedTest
    @MethodSource("everyKind")
    void everyKind_createReadUpdateDelete_succeeds(String yaml) throws InterruptedException {
        Resource<HasMetadata> resource = client.resource("---\n" + yaml); // without ---, the client parses it as JSON
        HasMetadata created = resource.create();
        assertThat(created.getMetadata().getUid()).isNotEmpty();

        HasMetadata read = resource.get();
        assertThat(read.getMetadata().getUid()).isEqualTo(created.getMetadata().getUid());
        HasMetadata edited = resource.edit(object -> {
            object.getMetadata().setLabels(Map.of("edited", "yes"));
            return object;
        });
        assertThat(edited.getMetadata().getLabels()).containsEntry("edited", "yes");
        HasMetadata patched = resource.patch(
                PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\":{\"annotations\":{\"patched\":\"yes\"}}}");
        assertThat(patched.getMetadata().getAnnotations()).containsEntry("patched", "yes");
        assertThat(update(resource).getMetadata().getLabels()).containsEntry("updated", "yes");

        var all = client.genericKubernetesResources(created.getApiVersion(), created.getKind());
        assertThat(all.inAnyNamespace().withLabel("updated").list().getItems())
                .extracting(each -> each.getMetadata().getName())
                .containsExactly("every");
        List<StatusDetails> deleted = resource.withGracePeriod(0).delete();
        assertThat(deleted).isNotEmpty();
        if (List.of("Namespace", "PersistentVolume", "PersistentVolumeClaim").contains(created.getKind())) {
            // Controllers remove the finalizers of these.
            resource.waitUntilCondition(object -> object == null, 90, java.util.concurrent.TimeUnit.SECONDS);
        }
        assertThat(all.inAnyNamespace().withLabel("updated").list().getItems()).isEmpty();
    }

    /** Updates the labels; after a conflict with a controller retries with the newest version, as clients do. */
    private HasMetadata update(Resource<HasMetadata> resource) {
        while (true) {
            HasMetadata newest = resource.get();
            newest.getMetadata().getLabels().put("updated", "yes");
            try {
                return client.resource(newest).update();
            } catch (KubernetesClientException e) {
                if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
                    throw e;
                }
            }
        }
    }

    private static ConfigMap map(String name, Map<String, String> labels) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("default")
                .withLabels(labels)
                .endMetadata()
                .addToData("a", "1")
                .build();
    }

    @Test
    void list_withSelectorsAndLimit_returnsSelectedPages() {
        for (int i = 0; i < 5; i++) {
            client.resource(map("page" + i, Map.of("page", "yes", "odd", Integer.toString(i % 2))))
                    .create();
        }
        var maps = client.configMaps().inNamespace("default");
        assertThat(maps.withLabel("odd", "1").list().getItems()).hasSize(2);
        assertThat(maps.withLabelIn("odd", "0", "2").list().getItems()).hasSize(3);
        assertThat(maps.withLabel("page").withoutLabel("odd", "0").list().getItems())
                .hasSize(2);
        assertThat(maps.withField("metadata.name", "page3").list().getItems()).hasSize(1);
        ConfigMapList first = maps.withLabel("page")
                .list(new ListOptionsBuilder().withLimit(2L).build());
        assertThat(first.getItems()).hasSize(2);
        ConfigMapList rest = maps.withLabel("page")
                .list(new ListOptionsBuilder()
                        .withLimit(10L)
                        .withContinue(first.getMetadata().getContinue())
                        .build());
        assertThat(rest.getItems()).hasSize(3);
        assertThat(rest.getMetadata().getResourceVersion())
                .isEqualTo(first.getMetadata().getResourceVersion());
        assertThat(maps.withLabel("page").delete()).isNotEmpty();
        assertThat(maps.withLabel("page").list().getItems()).isEmpty();
    }

    @Test
    void pod_patchedWithEveryPatchType_isChanged() {
        Pod pod = new PodBuilder()
                .withNewMetadata()
                .withName("patched")
                .withNamespace("default")
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("one")
                .withImage("image:1")
                .endContainer()
                .endSpec()
                .build();
        var resource = client.resource(pod);
        resource.create();
        Pod strategic = resource.patch(
                PatchContext.of(PatchType.STRATEGIC_MERGE),
                "{\"spec\":{\"containers\":[{\"name\":\"one\",\"image\":\"image:2\"}]}}");
        assertThat(strategic.getSpec().getContainers()).hasSize(1);
        assertThat(strategic.getSpec().getContainers().get(0).getImage()).isEqualTo("image:2");
        Pod json = resource.patch(
                PatchContext.of(PatchType.JSON),
                "[{\"op\":\"replace\",\"path\":\"/spec/containers/0/image\",\"value\":\"image:3\"}]");
        assertThat(json.getSpec().getContainers().get(0).getImage()).isEqualTo("image:3");
        Pod edited = resource.edit(each -> new PodBuilder(each)
                .editSpec()
                .editFirstContainer()
                .withImage("image:4")
                .endContainer()
                .endSpec()
                .build());
        assertThat(edited.getSpec().getContainers().get(0).getImage()).isEqualTo("image:4");
        Pod status = resource.editStatus(each -> new PodBuilder(each)
                .editOrNewStatus()
                .withPhase("Failed")
                .endStatus()
                .build());
        assertThat(status.getStatus().getPhase()).isEqualTo("Failed");
        assertThat(resource.get().getStatus().getPhase()).isEqualTo("Failed");
        resource.withGracePeriod(0).delete();
        assertThat(client.pods().inNamespace("default").list().getItems()).isEmpty();
    }

    @Test
    void volume_updateWithOtherStatus_leavesStatusUnchanged(@TempDir Path directory) {
        Server paused = ServerFixture.start(directory, Map.of("without", "control,node"));
        try (KubernetesClient pausedClient = client(paused, WatchTransport.HTTP)) {
            assertUpdateLeavesStatus(pausedClient);
        } finally {
            paused.close();
        }
    }

    private static void assertUpdateLeavesStatus(KubernetesClient client) {
        PersistentVolume volume = (PersistentVolume) client.resource("---\n"
            + "{apiVersion: v1, kind: PersistentVolume, metadata: {name: status}, spec: {capacity: {storage: 1Gi},"
            + " accessModes: [ReadWriteOnce], hostPath: {path: /tmp/y}}}")
                .create();
        volume.getStatus().setPhase("Released");
        PersistentVolume updated = client.resource(volume).updateStatus();
        assertThat(updated.getStatus().getPhase()).isEqualTo("Released");
        updated.getStatus().setPhase("Failed");
        updated.getMetadata().setLabels(Map.of("a", "b"));
        PersistentVolume relabelled = client.resource(updated).update();
        assertThat(relabelled.getStatus().getPhase()).isEqualTo("Released");
        assertThat(relabelled.getMetadata().getLabels()).containsEntry("a", "b");
        PersistentVolume patched = client.resource(relabelled).patchStatus();
        assertThat(patched.getStatus().getPhase()).isEqualTo("Released");
        client.resource(relabelled).delete();
    }

    @Test
    void updateOrDelete_lockedToOldResourceVersion_isConflict() {
        ConfigMap first = client.resource(map("locked", Map.of())).create();
        ConfigMap changed = new ConfigMapBuilder(first).addToData("b", "2").build();
        client.resource(changed)
                .lockResourceVersion(first.getMetadata().getResourceVersion())
                .update();

        KubernetesClientException conflict = catchThrowableOfType(
                KubernetesClientException.class,
                () -> client.resource(
                                new ConfigMapBuilder(first).addToData("c", "3").build())
                        .lockResourceVersion(first.getMetadata().getResourceVersion())
                        .update());
        assertThat(conflict.getCode()).isEqualTo(409);
        assertThat(conflict.getStatus().getReason()).isEqualTo("Conflict");
        KubernetesClientException twice = catchThrowableOfType(
                KubernetesClientException.class,
                () -> client.resource(map("locked", Map.of())).create());
        assertThat(twice.getStatus().getReason()).isEqualTo("AlreadyExists");
        KubernetesClientException old = catchThrowableOfType(
                KubernetesClientException.class,
                () -> client.resource(first)
                        .lockResourceVersion(first.getMetadata().getResourceVersion())
                        .delete());
        assertThat(old.getCode()).isEqualTo(409);
        assertThat(client.resource(map("locked", Map.of())).delete()).hasSize(1);
        assertThat(client.configMaps().inNamespace("default").withName("gone").get())
                .isNull();
        assertThat(client.configMaps().inNamespace("default").withName("gone").delete())
                .isEmpty();
    }

    @Test
    void serverSideApply_fieldOfOtherManager_conflictsUnlessForced() {
        ConfigMap one = map("applied", Map.of());
        client.resource(one).fieldManager("one").serverSideApply();
        ConfigMap two = new ConfigMapBuilder(one).addToData("a", "2").build();

        KubernetesClientException conflict = catchThrowableOfType(
                KubernetesClientException.class,
                () -> client.resource(two).fieldManager("two").serverSideApply());
        assertThat(conflict.getCode()).isEqualTo(409);
        assertThat(conflict.getStatus().getMessage()).contains("conflict with \"one\": .data.a");
        assertThat(conflict.getStatus().getDetails().getCauses().get(0).getReason())
                .isEqualTo("FieldManagerConflict");
        ConfigMap forced =
                client.resource(two).fieldManager("two").forceConflicts().serverSideApply();
        assertThat(forced.getData()).containsEntry("a", "2");
        assertThat(forced.getMetadata().getManagedFields())
                .extracting(each -> each.getManager() + " " + each.getOperation())
                .contains("two Apply");
        client.resource(two).delete();
    }

    @Test
    void watch_overHttp_receivesEvents() throws InterruptedException {
        watchToken(client, "seen");
    }

    @Test
    @Timeout(180)
    void watch_overWebSocket_receivesEvents() throws InterruptedException {
        try (KubernetesClient other = client(server, WatchTransport.WEB_SOCKET)) {
            watchToken(other, "seen-too");
        }
    }

    private static void watchToken(KubernetesClient client, String name) throws InterruptedException {
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        GenericKubernetesResource token = client.genericKubernetesResources("mooring.dev/v1", "Token")
                .load(new java.io.ByteArrayInputStream(
                        ("---\n{apiVersion: mooring.dev/v1, kind: Token, metadata: {name: " + name + "},"
                                        + " spec: {role: view, sha256: " + "b".repeat(64) + "}}")
                                .getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                .item();
        try (Watch watch = client.genericKubernetesResources("mooring.dev/v1", "Token")
                .watch(new Watcher<GenericKubernetesResource>() {
                    @Override
                    public void eventReceived(Action action, GenericKubernetesResource object) {
                        seen.add(action + " " + object.getMetadata().getName());
                    }

                    @Override
                    public void onClose(WatcherException cause) {
                        seen.add("closed " + cause);
                    }
                })) {
            assertThat(watch).isNotNull();
            client.resource(token).create();
            client.resource(token).edit(each -> {
                each.getMetadata().setLabels(Map.of("a", "b"));
                return each;
            });
            client.resource(token).delete();
            assertThat(seen.take()).isEqualTo("ADDED " + name);
            assertThat(seen.take()).isEqualTo("MODIFIED " + name);
            assertThat(seen.take()).isEqualTo("DELETED " + name);
        }
    }
}
