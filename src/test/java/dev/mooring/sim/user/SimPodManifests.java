package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;

/**
 * Creates Pods as users write them: a few volumes of all kinds that Mooring mounts, shared by one or two containers.
 */
final class SimPodManifests {
    private static final int MAX_VOLUMES = 3;

    /** An image that exists, one that must be pulled, and one that does not exist. */
    private static final List<String> IMAGES =
            List.of("busybox", "busybox", "busybox", "busybox", "busybox", "busybox", "tool", "missing");

    private final SeededRandom random;
    private final SimManifests manifests;

    SimPodManifests(SeededRandom random, SimManifests manifests) {
        this.random = random;
        this.manifests = manifests;
    }

    ObjectNode pod(World world, String namespace, String name) {
        ObjectNode pod = SimManifests.object("v1", "Pod", name);
        pod.withObject("/metadata/labels").put("app", name);
        ObjectNode spec = pod.putObject("spec");
        spec.put("restartPolicy", random.one(List.of("Always", "Always", "OnFailure", "Never")));
        spec.put("terminationGracePeriodSeconds", random.one(List.of(0, 1, 5, 30)));
        if (random.percent(25)) {
            spec.put("nodeName", random.percent(95) ? random.one(SimManifests.nodes(world)) : "nowhere");
        }
        if (random.percent(10)) {
            spec.putObject("securityContext").put("fsGroup", 2000);
        }
        ArrayNode volumes = spec.putArray("volumes");
        ObjectNode container = container(spec.putArray("containers"), "main");
        for (int i = 1 + random.below(MAX_VOLUMES); i > 0; i--) {
            String volume = "d" + i;
            ObjectNode added = volumes.addObject().put("name", volume);
            source(world, namespace, added);
            mount(container, volume);
        }
        if (random.percent(15)) {
            ObjectNode second = container(spec.withArray("containers"), "second");
            mount(second, "d1");
        }
        if (random.percent(10)) {
            ObjectNode init = container(spec.putArray("initContainers"), "init");
            mount(init, "d1");
        }
        return pod;
    }

    private ObjectNode container(ArrayNode list, String name) {
        ObjectNode container = list.addObject().put("name", name).put("image", random.one(IMAGES));
        container.put("imagePullPolicy", random.one(List.of("IfNotPresent", "IfNotPresent", "Always")));
        SimManifests.texts(container.putArray("command"), List.of("run", "it"));
        return container;
    }

    private void mount(ObjectNode container, String volume) {
        ObjectNode mount = container.withArray("volumeMounts").addObject();
        mount.put("name", volume).put("mountPath", "/" + volume);
        if (random.percent(10)) {
            mount.put("readOnly", true);
        }
        if (random.percent(5)) {
            mount.put("subPath", "part");
        }
    }

    private void source(World world, String namespace, ObjectNode volume) {
        switch (random.below(12)) {
            case 0, 1, 2, 3, 4 -> {
                ObjectNode claim = volume.putObject("persistentVolumeClaim");
                claim.put("claimName", existing(world, NamePools.CLAIMS, namespace, NamePools.CLAIM_NAMES));
                if (random.percent(10)) {
                    claim.put("readOnly", true);
                }
            }
            case 5, 6 ->
                volume.putObject("nfs")
                        .put("server", random.one(NamePools.NFS_SERVERS))
                        .put("path", random.one(NamePools.EXPORTS));
            case 7 ->
                volume.putObject("hostPath")
                        .put("path", "/srv/shared")
                        .put("type", random.one(List.of("DirectoryOrCreate", "Directory", "")));
            case 8 -> volume.putObject("emptyDir");
            case 9 ->
                volume.putObject("configMap")
                        .put("name", existing(world, NamePools.CONFIG_MAPS, namespace, NamePools.CONTENT_NAMES));
            case 10 ->
                volume.putObject("secret")
                        .put("secretName", existing(world, NamePools.SECRETS, namespace, NamePools.CONTENT_NAMES));
            default ->
                manifests.claimSpec(
                        world,
                        volume.putObject("ephemeral")
                                .putObject("volumeClaimTemplate")
                                .putObject("spec"));
        }
    }

    /** Returns mostly the name of an existing object, so that most Pods can run. */
    private String existing(World world, String resource, String namespace, List<String> names) {
        List<String> found = new ArrayList<>();
        for (StoredObject each : world.list(Scope.namespace(resource, namespace))) {
            found.add(each.key().name());
        }
        return found.isEmpty() || random.percent(20) ? random.one(names) : random.one(found);
    }
}
