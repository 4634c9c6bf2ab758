package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.world.World;
import java.util.Optional;

/** Requests to create invalid objects; the server must reject every one. */
final class InvalidManifests {
    private static final int VARIANTS = 13;
    private static final String STORAGE = "storage";

    private final ActionContext context;

    InvalidManifests(ActionContext context) {
        this.context = context;
    }

    SimRequest request(World world) {
        ObjectNode volume = context.manifests().volume(world, "v9");
        ObjectNode claim = context.manifests().claim(world, "c9");
        ObjectNode pod = context.pods().pod(world, "default", "p9");
        ObjectNode storageClass = context.manifests().storageClass("k9");
        ObjectNode volumeSpec = volume.withObject("/spec");
        return switch (context.random().below(VARIANTS)) {
            case 0 -> {
                volumeSpec.putArray("accessModes");
                volumeSpec.put("storageClassName", "none"); // built-in classes default the access modes
                yield volume("creates PV without access modes", volume);
            }
            case 1 -> {
                volumeSpec.putObject("nfs").put("server", "s1").put("path", "/export/a");
                volumeSpec.putObject("hostPath").put("path", "/srv/two");
                yield volume("creates PV with two sources", volume);
            }
            case 2 -> {
                volumeSpec.withObject("/capacity").put(STORAGE, "-1Gi");
                yield volume("creates PV with negative capacity", volume);
            }
            case 3 -> {
                volume.withObject("/metadata").put("name", "Not_A_Name");
                yield volume("creates PV with an invalid name", volume);
            }
            case 4 ->
                volume("creates PV with an unknown field, strict validation", volume)
                        .withStrictValidation();
            case 5 -> {
                claim.withObject("/spec/resources/requests").put(STORAGE, "much");
                yield claim("creates PVC with an invalid size", claim);
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
                yield storageClass("creates StorageClass with an unknown provisioner", storageClass);
            }
            case 9 -> {
                storageClass.put("reclaimPolicy", "Recycle");
                yield storageClass("creates StorageClass with reclaimPolicy Recycle", storageClass);
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
                yield pod("creates Pod that mounts an undefined volume", pod);
            }
            default -> {
                pod.put("kind", "ConfigMap");
                yield pod("creates Pod with kind ConfigMap", pod);
            }
        };
    }

    private static SimRequest volume(String description, ObjectNode object) {
        return SimRequest.create(description, NamePools.VOLUMES, Optional.empty(), object)
                .expectRefused();
    }

    private static SimRequest claim(String description, ObjectNode object) {
        return SimRequest.create(description, NamePools.CLAIMS, Optional.of("default"), object)
                .expectRefused();
    }

    private static SimRequest storageClass(String description, ObjectNode object) {
        return SimRequest.create(description, NamePools.CLASSES, Optional.empty(), object)
                .expectRefused();
    }

    private static SimRequest pod(String description, ObjectNode object) {
        return SimRequest.create(description, NamePools.PODS, Optional.of("default"), object)
                .expectRefused();
    }
}
