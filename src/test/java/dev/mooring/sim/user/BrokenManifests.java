package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.world.World;
import java.util.Optional;

/** Objects that break a rule: the server must refuse every one of them, whatever else is there. */
final class BrokenManifests {
    private static final int WAYS = 13;
    private static final String STORAGE = "storage";

    private final Acting acting;

    BrokenManifests(Acting acting) {
        this.acting = acting;
    }

    Request request(World world) {
        ObjectNode volume = acting.manifests().volume(world, "v9");
        ObjectNode claim = acting.manifests().claim(world, "c9");
        ObjectNode pod = acting.pods().pod(world, "default", "p9");
        ObjectNode storageClass = acting.manifests().storageClass("k9");
        ObjectNode volumeSpec = volume.withObject("/spec");
        return switch (acting.chance().below(WAYS)) {
            case 0 -> {
                volumeSpec.putArray("accessModes");
                volumeSpec.put("storageClassName", "none"); // those built in know which are usual
                yield volume("creates PV without access modes", volume);
            }
            case 1 -> {
                volumeSpec.putObject("nfs").put("server", "s1").put("path", "/export/a");
                volumeSpec.putObject("hostPath").put("path", "/srv/two");
                yield volume("creates PV with two sources", volume);
            }
            case 2 -> {
                volumeSpec.withObject("/capacity").put(STORAGE, "-1Gi");
                yield volume("creates PV of less than nothing", volume);
            }
            case 3 -> {
                volume.withObject("/metadata").put("name", "Not_A_Name");
                yield volume("creates PV with a bad name", volume);
            }
            case 4 ->
                volume("creates PV with an unknown field, strictly", volume).strictly();
            case 5 -> {
                claim.withObject("/spec/resources/requests").put(STORAGE, "much");
                yield claim("creates PVC of no size", claim);
            }
            case 6 -> {
                claim.withObject("/metadata").put("namespace", "elsewhere");
                yield claim("creates PVC for another namespace", claim);
            }
            case 7 -> {
                claim.withObject("/metadata").put("resourceVersion", "7");
                yield claim("creates PVC with a resourceVersion", claim);
            }
            case 8 -> {
                storageClass.put("provisioner", "mooring.dev/hostpat");
                yield storageClass("creates StorageClass of an unknown provisioner", storageClass);
            }
            case 9 -> {
                storageClass.put("reclaimPolicy", "Recycle");
                yield storageClass("creates StorageClass that recycles", storageClass);
            }
            case 10 -> {
                pod.withObject("/spec").putArray("containers");
                yield pod("creates Pod without containers", pod);
            }
            case 11 -> {
                ((ObjectNode) pod.withObject("/spec").withArray("containers").get(0))
                        .withArray("volumeMounts")
                        .addObject()
                        .put("name", "nothing")
                        .put("mountPath", "/nothing");
                yield pod("creates Pod that mounts what it does not have", pod);
            }
            default -> {
                pod.put("kind", "ConfigMap");
                yield pod("creates Pod that is something else", pod);
            }
        };
    }

    private static Request volume(String what, ObjectNode object) {
        return Request.create(what, Pools.VOLUMES, Optional.empty(), object).hopeless();
    }

    private static Request claim(String what, ObjectNode object) {
        return Request.create(what, Pools.CLAIMS, Optional.of("default"), object)
                .hopeless();
    }

    private static Request storageClass(String what, ObjectNode object) {
        return Request.create(what, Pools.CLASSES, Optional.empty(), object).hopeless();
    }

    private static Request pod(String what, ObjectNode object) {
        return Request.create(what, Pools.PODS, Optional.of("default"), object).hopeless();
    }
}
