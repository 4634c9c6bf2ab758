package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;

/** Pods as users write them: a few volumes of all kinds that Mooring mounts, shared by one container or two. */
final class PodManifests {
    private static final int MAX_VOLUMES = 3;

    /** One that is there, one that is to be fetched, and one that nobody has. */
    private static final List<String> IMAGES =
            List.of("busybox", "busybox", "busybox", "busybox", "busybox", "busybox", "tool", "missing");

    private final Chance chance;
    private final Manifests manifests;

    PodManifests(Chance chance, Manifests manifests) {
        this.chance = chance;
        this.manifests = manifests;
    }

    ObjectNode pod(World world, String home, String name) {
        ObjectNode pod = Manifests.object("v1", "Pod", name);
        pod.withObject("/metadata/labels").put("app", name);
        ObjectNode spec = pod.putObject("spec");
        spec.put("restartPolicy", chance.one(List.of("Always", "Always", "OnFailure", "Never")));
        spec.put("terminationGracePeriodSeconds", chance.one(List.of(0, 1, 5, 30)));
        if (chance.percent(25)) {
            spec.put("nodeName", chance.percent(95) ? chance.one(Manifests.nodes(world)) : "nowhere");
        }
        if (chance.percent(10)) {
            spec.putObject("securityContext").put("fsGroup", 2000);
        }
        ArrayNode volumes = spec.putArray("volumes");
        ObjectNode container = container(spec.putArray("containers"), "main");
        for (int i = 1 + chance.below(MAX_VOLUMES); i > 0; i--) {
            String volume = "d" + i;
            ObjectNode made = volumes.addObject().put("name", volume);
            source(world, home, made);
            mount(container, volume);
        }
        if (chance.percent(15)) {
            ObjectNode second = container(spec.withArray("containers"), "second");
            mount(second, "d1");
        }
        if (chance.percent(10)) {
            ObjectNode init = container(spec.putArray("initContainers"), "init");
            mount(init, "d1");
        }
        return pod;
    }

    private ObjectNode container(ArrayNode list, String name) {
        ObjectNode container = list.addObject().put("name", name).put("image", chance.one(IMAGES));
        container.put("imagePullPolicy", chance.one(List.of("IfNotPresent", "IfNotPresent", "Always")));
        Manifests.texts(container.putArray("command"), List.of("run", "it"));
        return container;
    }

    private void mount(ObjectNode container, String volume) {
        ObjectNode mount = container.withArray("volumeMounts").addObject();
        mount.put("name", volume).put("mountPath", "/" + volume);
        if (chance.percent(10)) {
            mount.put("readOnly", true);
        }
        if (chance.percent(5)) {
            mount.put("subPath", "part");
        }
    }

    private void source(World world, String home, ObjectNode volume) {
        switch (chance.below(12)) {
            case 0, 1, 2, 3, 4 -> {
                ObjectNode claim = volume.putObject("persistentVolumeClaim");
                claim.put("claimName", existing(world, Pools.CLAIMS, home, Pools.CLAIM_NAMES));
                if (chance.percent(10)) {
                    claim.put("readOnly", true);
                }
            }
            case 5, 6 ->
                volume.putObject("nfs")
                        .put("server", chance.one(Pools.NFS_SERVERS))
                        .put("path", chance.one(Pools.EXPORTS));
            case 7 ->
                volume.putObject("hostPath")
                        .put("path", "/srv/shared")
                        .put("type", chance.one(List.of("DirectoryOrCreate", "Directory", "")));
            case 8 -> volume.putObject("emptyDir");
            case 9 ->
                volume.putObject("configMap")
                        .put("name", existing(world, Pools.CONFIG_MAPS, home, Pools.CONTENT_NAMES));
            case 10 ->
                volume.putObject("secret").put("secretName", existing(world, Pools.SECRETS, home, Pools.CONTENT_NAMES));
            default ->
                manifests.claimSpec(
                        world,
                        volume.putObject("ephemeral")
                                .putObject("volumeClaimTemplate")
                                .putObject("spec"));
        }
    }

    /** Mostly what is there, so that most Pods can run; sometimes what may come or may not. */
    private String existing(World world, String resource, String home, List<String> names) {
        List<String> there = new ArrayList<>();
        for (StoredObject each : world.list(Scope.namespace(resource, home))) {
            there.add(each.key().name());
        }
        return there.isEmpty() || chance.percent(20) ? chance.one(names) : chance.one(there);
    }
}
