package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.testing.ConditionPoller;
import dev.mooring.testing.StablePort;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests informers of the fabric8 client: their caches must match the server, also after restarts of the server. */
@Timeout(180)
class Fabric8InformerTest {
    private static final String MAPS = ApiUnderTest.DEFAULT + "/configmaps";

    /** Notification of the ConfigMap that a controller creates some time after the start of the server. */
    private static final String PUBLISHED = "add kube-root-ca.crt=null";

    @TempDir
    private Path data;

    /** Records notifications in the order in which they arrive. */
    private static final class RecordingHandler implements ResourceEventHandler<ConfigMap> {
        private final BlockingQueue<String> notifications = new LinkedBlockingQueue<>();

        @Override
        public void onAdd(ConfigMap object) {
            notifications.add("add " + text(object));
        }

        @Override
        public void onUpdate(ConfigMap before, ConfigMap object) {
            if (!before.getMetadata()
                    .getResourceVersion()
                    .equals(object.getMetadata().getResourceVersion())) {
                notifications.add("update " + text(object));
            }
        }

        @Override
        public void onDelete(ConfigMap object, boolean stateUnknown) {
            notifications.add("delete " + object.getMetadata().getName());
        }

        private static String text(ConfigMap object) {
            return object.getMetadata().getName() + "=" + object.getData().get("a");
        }

        /** Waits for notifications in any order: after a new list, additions come before deletions. */
        void awaitAll(String... expected) throws InterruptedException {
            Set<String> missing = new HashSet<>(Set.of(expected));
            while (!missing.isEmpty()) {
                missing.remove(notifications.take());
            }
        }

        void await(String expected) throws InterruptedException {
            String next = notifications.take();
            while (!next.equals(expected)) {
                next = notifications.take();
            }
        }
    }

    private static KubernetesClient client(ApiUnderTest api) {
        Config config = Config.fromKubeconfig(api.server().kubeconfig().toFile());
        config.setOnlyHttpWatches(true); // see Fabric8ClientTest for WebSockets
        config.setConnectionTimeout(Fabric8ClientTest.TIMEOUT_MILLIS);
        config.setRequestTimeout(Fabric8ClientTest.TIMEOUT_MILLIS);
        config.setWatchReconnectInterval(50);
        config.setRequestRetryBackoffInterval(50);
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    private static Map<String, String> cached(SharedIndexInformer<ConfigMap> informer) {
        Map<String, String> cached = new TreeMap<>();
        for (ConfigMap each : informer.getStore().list()) {
            cached.put(each.getMetadata().getName(), each.getMetadata().getResourceVersion());
        }
        return cached;
    }

    private static Map<String, String> listed(ApiUnderTest api) {
        Map<String, String> listed = new TreeMap<>();
        api.get(MAPS)
                .body()
                .path("items")
                .forEach(each -> listed.put(
                        each.at("/metadata/name").asText(),
                        each.at("/metadata/resourceVersion").asText()));
        return listed;
    }

    /** Waits until the cache matches the server: after a new list, deletions are applied after additions. */
    private static void awaitCached(SharedIndexInformer<ConfigMap> informer, ApiUnderTest api) throws Exception {
        ConditionPoller.until(() -> cached(informer).equals(listed(api)));
    }

    private static void write(ApiUnderTest api, String name, String value) {
        assertThat(api.post(MAPS, ApiUnderTest.configMap(name, "a", value)).code())
                .isEqualTo(201);
    }

    @Test
    void informer_serverRestarted_cacheMatchesServer() throws Exception {
        String address = "127.0.0.1:" + StablePort.find();
        ApiUnderTest api = ApiUnderTest.start(data, Map.of("listen", address));
        RecordingHandler handler = new RecordingHandler();
        try (Fabric8AccessLog access = Fabric8AccessLog.listen();
                KubernetesClient client = client(api);
                SharedIndexInformer<ConfigMap> informer =
                        client.configMaps().inNamespace("default").inform(handler, 1000)) {
            handler.await(PUBLISHED);
            write(api, "stays", "1");
            write(api, "changes", "1");
            write(api, "goes", "1");
            handler.await("add goes=1");
            assertThat(cached(informer)).isEqualTo(listed(api));
            api.close();

            // Changes while the client is disconnected: this server has another port, the next one the old port.
            api = ApiUnderTest.start(data);
            api.mergePatch(MAPS + "/changes", "{'data':{'a':'2'}}");
            api.delete(MAPS + "/goes");
            write(api, "comes", "1");
            api.close();
            api = ApiUnderTest.start(data, Map.of("listen", address));

            write(api, "end", "1");
            handler.await("add end=1");
            awaitCached(informer, api);
            assertThat(cached(informer)).isEqualTo(listed(api)).doesNotContainKey("goes");
            assertThat(informer.isRunning()).isTrue();
            assertThat(access.failures()).isEmpty();
        } finally {
            api.close();
        }
    }

    @Test
    void informer_changesWhileDisconnected_areNotifiedOnce() throws Exception {
        String address = "127.0.0.1:" + StablePort.find();
        ApiUnderTest api = ApiUnderTest.start(data, Map.of("listen", address));
        RecordingHandler handler = new RecordingHandler();
        try (KubernetesClient client = client(api);
                SharedIndexInformer<ConfigMap> informer =
                        client.configMaps().inNamespace("default").inform(handler)) {
            handler.await(PUBLISHED);
            for (int i = 0; i < 10; i++) {
                write(api, "m" + i, "1");
            }
            handler.await("add m9=1");
            api.close();
            api = ApiUnderTest.start(data);
            for (int i = 0; i < 5; i++) {
                api.mergePatch(MAPS + "/m" + i, "{'data':{'a':'2'}}");
                api.mergePatch(MAPS + "/m" + i, "{'data':{'a':'3'}}");
            }
            api.delete(MAPS + "/m9");
            api.close();
            api = ApiUnderTest.start(data, Map.of("listen", address));
            write(api, "end", "1");

            Map<String, Integer> counts = new HashMap<>();
            for (String next = handler.notifications.take();
                    !next.equals("add end=1");
                    next = handler.notifications.take()) {
                counts.merge(next, 1, Integer::sum);
            }
            for (int i = 0; i < 5; i++) {
                assertThat(counts).containsEntry("update m" + i + "=3", 1);
            }
            assertThat(counts).containsEntry("delete m9", 1);
            assertThat(counts.keySet()).noneMatch(each -> each.startsWith("add ") || each.contains("m5"));
            assertThat(cached(informer)).isEqualTo(listed(api));
        } finally {
            api.close();
        }
    }

    @Test
    void informer_disconnectedLongerThanHistory_listsAgain() throws Exception {
        Map<String, String> flags = new HashMap<>(WatchCutOffTest.SHORT_MEMORY);
        flags.put("listen", "127.0.0.1:" + StablePort.find());
        ApiUnderTest api = ApiUnderTest.start(data, flags);
        RecordingHandler handler = new RecordingHandler();
        try (Fabric8AccessLog access = Fabric8AccessLog.listen();
                KubernetesClient client = client(api);
                SharedIndexInformer<ConfigMap> informer =
                        client.configMaps().inNamespace("default").inform(handler)) {
            write(api, "goes", "1");
            write(api, "changes", "1");
            handler.await("add changes=1");
            long seen = api.revision();
            api.close();

            api = ApiUnderTest.start(data, WatchCutOffTest.SHORT_MEMORY);
            api.delete(MAPS + "/goes");
            api.mergePatch(MAPS + "/changes", "{'data':{'a':'2'}}");
            WatchCutOffTest.cutOff(api, seen + 3);
            api.close();
            long lists = lists(access);
            api = ApiUnderTest.start(data, flags);

            write(api, "end", "1");
            handler.awaitAll("add end=1", "delete goes");
            awaitCached(informer, api);
            assertThat(cached(informer)).doesNotContainKey("goes");
            // The watch that follows the list may begin after the notifications.
            ConditionPoller.until(() -> lists(access) > lists + 1);
            assertThat(access.failures()).isEmpty();
        } finally {
            api.close();
        }
    }

    /** Counts lists and watches, which the access log does not distinguish. */
    private static long lists(Fabric8AccessLog access) {
        return access.lines().stream()
                .filter(List.of("GET " + MAPS + " 200")::contains)
                .count();
    }
}
