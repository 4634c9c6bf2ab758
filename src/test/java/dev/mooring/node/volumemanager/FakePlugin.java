package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.volume.ObjectLookup;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePlugins;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A plugin that describes volumes and mounts none. */
record FakePlugin(String name, String source, Sharing sharing) implements VolumePlugin {
    enum Sharing {
        EACH_POD,
        ALL_PODS
    }

    static VolumePlugins all() {
        return new VolumePlugins(List.of(
                new FakePlugin("kubernetes.io/nfs", "nfs", Sharing.EACH_POD),
                new FakePlugin("kubernetes.io/host-path", "hostPath", Sharing.EACH_POD),
                new FakePlugin("kubernetes.io/local-volume", "local", Sharing.ALL_PODS),
                new FakePlugin("kubernetes.io/empty-dir", "emptyDir", Sharing.EACH_POD),
                new FakePlugin("kubernetes.io/configmap", "configMap", Sharing.EACH_POD),
                new FakePlugin("kubernetes.io/secret", "secret", Sharing.EACH_POD),
                new FakePlugin("kubernetes.io/projected", "projected", Sharing.EACH_POD)));
    }

    @Override
    public boolean supports(JsonNode spec) {
        return spec.hasNonNull(source);
    }

    @Override
    public Optional<String> sharedIdentity(String volume, JsonNode spec) {
        return sharing == Sharing.ALL_PODS ? Optional.of(volume) : Optional.empty();
    }

    @Override
    public Optional<String> mountOptionsError(List<String> mountOptions) {
        return source.equals("nfs")
                ? mountOptions.stream().filter("suid"::equals).findFirst().map(each -> "option " + each + " is refused")
                : VolumePlugin.super.mountOptionsError(mountOptions);
    }

    private static Set<ObjectKey> referencedObjects(JsonNode spec, String namespace) {
        String configMap = spec.path("configMap").path("name").asText("");
        String secret = spec.path("secret").path("secretName").asText("");
        return !configMap.isEmpty()
                ? Set.of(ObjectKey.namespaced("configmaps", namespace, configMap))
                : secret.isEmpty() ? Set.of() : Set.of(ObjectKey.namespaced("secrets", namespace, secret));
    }

    @Override
    public String contentVersion(JsonNode spec, ObjectNode pod, ObjectLookup objects) {
        StringBuilder content = new StringBuilder();
        for (ObjectKey key :
                referencedObjects(spec, pod.path("metadata").path("namespace").asText())) {
            content.append(objects.find(key)
                    .map(object -> object.path("data").toString())
                    .orElse("missing"));
        }
        return content.toString();
    }

    @Override
    public Optional<Duration> contentRenewal(JsonNode spec) {
        return source.equals("projected") ? Optional.of(Duration.ofMinutes(48)) : Optional.empty();
    }

    @Override
    public SetUpResult setUp(SetUpRequest request, OperationProgress progress) {
        throw new AssertionError("Unexpected mount: " + request);
    }

    @Override
    public void tearDown(TearDownRequest request, OperationProgress progress) {
        throw new AssertionError("Unexpected unmount: " + request);
    }
}
