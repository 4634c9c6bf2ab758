package dev.mooring.volumedriver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.NearestMatch;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.AccessModes;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.DockerMount;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The options of {@code docker volume create -o}: what the claim of a Docker volume must be. Immutable.
 *
 * @param volume name of the Docker volume
 * @param given options by name
 */
record ClaimOptions(String volume, Map<String, String> given) {
    private static final String CLASS = "class";
    private static final String SIZE = "size";
    private static final String NAMESPACE = "namespace";
    private static final String CLAIM = "claim";
    private static final String MODE = "mode";
    private static final List<String> NAMES = List.of(CLASS, SIZE, NAMESPACE, CLAIM, MODE);

    private static final Map<String, String> MODES =
            Map.of("rwo", "ReadWriteOnce", "rwop", "ReadWriteOncePod", "rwx", "ReadWriteMany", "rox", "ReadOnlyMany");

    /** Label of a claim that the driver created, and deletes with the Docker volume. */
    private static final String MANAGED_BY = "app.kubernetes.io/managed-by";

    private static final String DOCKER = "docker";

    /** Reads the options of a request. */
    static ClaimOptions of(String volume, JsonNode options) throws DriverException {
        Map<String, String> given = new TreeMap<>();
        for (Map.Entry<String, JsonNode> each : options.properties()) {
            String name = each.getKey();
            if (!NAMES.contains(name)) {
                throw new DriverException("volume \"" + volume + "\": unknown option \"" + name + "\""
                        + NearestMatch.ignoringCase(name, NAMES)
                                .map(like -> " (did you mean \"" + like + "\"?)")
                                .orElse("")
                        + "; the options are " + String.join(", ", NAMES));
            }
            given.put(name, each.getValue().asText(""));
        }
        ClaimOptions read = new ClaimOptions(volume, Map.copyOf(given));
        read.check();
        return read;
    }

    private void check() throws DriverException {
        if (given.containsKey(SIZE)) {
            try {
                Quantity.parse(given.get(SIZE));
            } catch (IllegalArgumentException e) {
                throw new DriverException(
                        "volume \"" + volume + "\": size \"" + given.get(SIZE) + "\" is not a quantity such as 10Gi");
            }
        }
        if (given.containsKey(MODE) && mode().isEmpty()) {
            throw new DriverException("volume \"" + volume + "\": unknown access mode \"" + given.get(MODE)
                    + "\"; use ReadWriteOnce, ReadWriteOncePod, ReadWriteMany or ReadOnlyMany");
        }
    }

    private Optional<String> mode() {
        String mode = given.getOrDefault(MODE, "");
        return Optional.ofNullable(MODES.get(mode.toLowerCase(Locale.ROOT)))
                .or(() -> MODES.values().stream().filter(mode::equals).findFirst());
    }

    Optional<String> className() {
        return Optional.ofNullable(given.get(CLASS));
    }

    /** Returns the key of the claim. Docker's names may have characters that the names of objects must not have. */
    ObjectKey key(String defaultNamespace) throws DriverException {
        String namespace = given.getOrDefault(NAMESPACE, defaultNamespace);
        String name = given.getOrDefault(CLAIM, volume.toLowerCase(Locale.ROOT).replace('_', '-'));
        return Claim.keyIfValid(namespace, name)
                .orElseThrow(() -> new DriverException("volume \"" + volume + "\": \"" + namespace + '/' + name
                        + "\" is not a valid namespace and name of a claim; set the options namespace and claim"));
    }

    /** Returns the claim to create. */
    ObjectNode claim(ObjectKey key, String defaultSize) {
        ObjectNode claim = JsonNodeFactory.instance.objectNode();
        claim.put("apiVersion", "v1").put("kind", "PersistentVolumeClaim");
        ObjectNode metadata = claim.putObject("metadata");
        metadata.put("name", key.name()).put("namespace", key.namespace().orElse(""));
        metadata.putObject("labels").put(MANAGED_BY, DOCKER);
        metadata.putObject("annotations").put(DockerMount.VOLUMES, volume);
        ObjectNode spec = claim.putObject("spec");
        spec.putArray("accessModes").add(mode().orElse("ReadWriteOnce"));
        className().ifPresent(name -> spec.put("storageClassName", name));
        spec.putObject("resources").putObject("requests").put("storage", given.getOrDefault(SIZE, defaultSize));
        return claim;
    }

    /** Returns whether the driver created the claim. */
    static boolean isManaged(Claim claim) {
        return claim.labels().path(MANAGED_BY).asText("").equals(DOCKER);
    }

    /** Fails if the claim is not what the given options ask for. */
    void requireSame(Claim claim, String defaultNamespace) throws DriverException {
        if (given.containsKey(NAMESPACE) || given.containsKey(CLAIM)) {
            ObjectKey wanted = key(given.getOrDefault(NAMESPACE, claim.namespace()));
            ObjectKey named = given.containsKey(CLAIM)
                    ? wanted
                    : Claim.key(wanted.namespace().orElse(defaultNamespace), claim.name());
            requireEqual(
                    claim,
                    "claim",
                    named.namespace().orElse("") + '/' + named.name(),
                    claim.namespace() + '/' + claim.name());
        }
        if (given.containsKey(CLASS)) {
            requireEqual(claim, CLASS, given.get(CLASS), claim.className().orElse(""));
        }
        if (given.containsKey(SIZE) && Quantity.parse(given.get(SIZE)).compareTo(claim.request()) != 0) {
            requireEqual(claim, SIZE, given.get(SIZE), claim.request().toString());
        }
        if (mode().isPresent()) {
            AccessModes wanted =
                    AccessModes.of(JsonNodeFactory.instance.arrayNode().add(mode().get()));
            if (!claim.accessModes().equals(wanted)) {
                requireEqual(claim, MODE, mode().get(), claim.accessModes().toString());
            }
        }
    }

    private void requireEqual(Claim claim, String option, String wanted, String found) throws DriverException {
        if (!wanted.equals(found)) {
            throw new DriverException("volume \"" + volume + "\" is claim " + claim.namespace() + '/' + claim.name()
                    + ", whose " + option + " is " + found + ", not " + wanted
                    + "; use the same options, another name, or change the claim with kubectl");
        }
    }
}
