package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
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

/** Informers of the Java client: caches that have to be right whatever happens to the server. */
@Timeout(40)
class Fabric8InformerTest {
    private static final String MAPS = ApiUnderTest.DEFAULT + "/configmaps";

    @TempDir
    private Path data;

    /** Notes what it is told; puts and removals in the order of their coming. */
    private static final class Notes implements ResourceEventHandler<ConfigMap> {
        private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

        @Override
        public void onAdd(ConfigMap object) {
            told.add("add " + text(object));
        }

        @Override
        public void onUpdate(ConfigMap before, ConfigMap object) {
            if (!before.getMetadata()
                    .getResourceVersion()
                    .equals(object.getMetadata().getResourceVersion())) {
                told.add("update " + text(object));
            }
        }

        @Override
        public void onDelete(ConfigMap object, boolean stateUnknown) {
            told.add("delete " + object.getMetadata().getName());
        }

        private static String text(ConfigMap object) {
            return object.getMetadata().getName() + "=" + object.getData().get("a");
        }

        /** In any order: a list that is compared with the cache brings what is new before what is gone. */
        void awaitAll(String... expected) throws InterruptedException {
            Set<String> missing = new HashSet<>(Set.of(expected));
            while (!missing.isEmpty()) {
                missing.remove(told.take());
            }
        }

        void await(String expected) throws InterruptedException {
            String next = told.take();
            while (!next.equals(expected)) {
                next = told.take();
            }
        }
    }

    private static KubernetesClient client(ApiUnderTest api) {
        Config config = Config.fromKubeconfig(api.server().kubeconfig().toFile());
        config.setOnlyHttpWatches(true); // see Fabric8ClientTest for WebSockets
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

    private static void write(ApiUnderTest api, String name, String value) {
        assertThat(api.post(MAPS, ApiUnderTest.configMap(name, "a", value)).code())
                .isEqualTo(201);
    }

    @Test
    void anInformerSurvivesARestartOfTheServer() throws InterruptedException {
        ApiUnderTest api = ApiUnderTest.start(data);
        String address = "127.0.0.1:" + api.port();
        Notes notes = new Notes();
        try (Fabric8AccessLog access = Fabric8AccessLog.listen();
                KubernetesClient client = client(api);
                SharedIndexInformer<ConfigMap> informer =
                        client.configMaps().inNamespace("default").inform(notes, 1000)) {
            write(api, "stays", "1");
            write(api, "changes", "1");
            write(api, "goes", "1");
            notes.await("add goes=1");
            assertThat(cached(informer)).isEqualTo(listed(api));
            api.close();

            // What happens before the client is back: another listener first, then the old one.
            api = ApiUnderTest.start(data);
            api.merge(MAPS + "/changes", "{'data':{'a':'2'}}");
            api.delete(MAPS + "/goes");
            write(api, "comes", "1");
            api.close();
            api = ApiUnderTest.start(data, Map.of("listen", address));

            write(api, "end", "1");
            notes.await("add end=1");
            assertThat(cached(informer)).isEqualTo(listed(api)).doesNotContainKey("goes");
            assertThat(informer.isRunning()).isTrue();
            assertThat(access.failures()).isEmpty();
        } finally {
            api.close();
        }
    }

    @Test
    void whatHappenedMeanwhileIsToldOnce() throws InterruptedException {
        ApiUnderTest api = ApiUnderTest.start(data);
        String address = "127.0.0.1:" + api.port();
        Notes notes = new Notes();
        try (KubernetesClient client = client(api);
                SharedIndexInformer<ConfigMap> informer =
                        client.configMaps().inNamespace("default").inform(notes)) {
            for (int i = 0; i < 10; i++) {
                write(api, "m" + i, "1");
            }
            notes.await("add m9=1");
            api.close();
            api = ApiUnderTest.start(data);
            for (int i = 0; i < 5; i++) {
                api.merge(MAPS + "/m" + i, "{'data':{'a':'2'}}");
                api.merge(MAPS + "/m" + i, "{'data':{'a':'3'}}");
            }
            api.delete(MAPS + "/m9");
            api.close();
            api = ApiUnderTest.start(data, Map.of("listen", address));
            write(api, "end", "1");

            Map<String, Integer> told = new HashMap<>();
            for (String next = notes.told.take(); !next.equals("add end=1"); next = notes.told.take()) {
                told.merge(next, 1, Integer::sum);
            }
            for (int i = 0; i < 5; i++) {
                assertThat(told).containsEntry("update m" + i + "=3", 1);
            }
            assertThat(told).containsEntry("delete m9", 1);
            assertThat(told.keySet()).noneMatch(each -> each.startsWith("add ") || each.contains("m5"));
            assertThat(cached(informer)).isEqualTo(listed(api));
        } finally {
            api.close();
        }
    }

    @Test
    void anInformerThatWasAwayTooLongListsAgain() throws InterruptedException, IOException {
        ApiUnderTest api = ApiUnderTest.start(data, WatchCutOffTest.SHORT_MEMORY);
        Map<String, String> again = new HashMap<>(WatchCutOffTest.SHORT_MEMORY);
        again.put("listen", "127.0.0.1:" + api.port());
        Notes notes = new Notes();
        try (Fabric8AccessLog access = Fabric8AccessLog.listen();
                KubernetesClient client = client(api);
                SharedIndexInformer<ConfigMap> informer =
                        client.configMaps().inNamespace("default").inform(notes)) {
            write(api, "goes", "1");
            write(api, "changes", "1");
            notes.await("add changes=1");
            long seen = api.revision();
            api.close();

            api = ApiUnderTest.start(data, WatchCutOffTest.SHORT_MEMORY);
            api.delete(MAPS + "/goes");
            api.merge(MAPS + "/changes", "{'data':{'a':'2'}}");
            WatchCutOffTest.cutOff(api, seen + 3);
            api.close();
            long lists = lists(access);
            api = ApiUnderTest.start(data, again);

            write(api, "end", "1");
            notes.awaitAll("add end=1", "delete goes");
            assertThat(cached(informer)).isEqualTo(listed(api)).doesNotContainKey("goes");
            assertThat(lists(access)).isGreaterThan(lists + 1);
            assertThat(access.failures()).isEmpty();
        } finally {
            api.close();
        }
    }

    /** Lists and watches, which the access log does not tell apart. */
    private static long lists(Fabric8AccessLog access) {
        return access.lines().stream()
                .filter(List.of("GET " + MAPS + " 200")::contains)
                .count();
    }
}
