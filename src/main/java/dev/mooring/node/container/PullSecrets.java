package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ContainerRuntime.Credentials;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The credentials for an image in a Pod's {@code imagePullSecrets}.
 *
 * @param credentials to be tried in this order; if empty, the pull is anonymous
 * @param missing names of Secrets that do not exist
 * @param unusable names of Secrets without valid registry credentials
 */
record PullSecrets(List<Credentials> credentials, List<String> missing, List<String> unusable) {
    static PullSecrets of(World world, Pod pod, ImageName image) {
        Keyring keyring = new Keyring();
        List<String> missing = new ArrayList<>();
        List<String> unusable = new ArrayList<>();
        for (JsonNode each : pod.spec().path("imagePullSecrets")) {
            String name = each.path("name").asText("");
            Optional<StoredObject> secret = find(world, pod.namespace(), name);
            if (secret.isEmpty()) {
                missing.add(name);
            } else if (!keyring.add(secret.get().toTree())) {
                unusable.add(name);
            }
        }
        return new PullSecrets(keyring.of(image), missing, unusable);
    }

    private static Optional<StoredObject> find(World world, String namespace, String name) {
        try {
            return world.get(ObjectKey.namespaced("secrets", namespace, name));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
