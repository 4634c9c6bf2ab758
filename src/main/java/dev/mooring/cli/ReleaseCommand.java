package dev.mooring.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.server.ExitCode;
import dev.mooring.server.MooringException;
import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code mooring release}: makes a Released volume Available again. Removes only the claim reference, and only if the
 * volume has not changed since it was read.
 */
@Command(
        name = "release",
        description = "Make a Released volume Available again. Its data is not changed.",
        footer = {"", "The same with kubectl: kubectl patch pv NAME --type=merge -p '{\"spec\":{\"claimRef\":null}}'"})
final class ReleaseCommand implements Callable<Integer> {
    private static final String PATH = "/api/v1/persistentvolumes/";
    private static final String BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
    private static final Set<String> KINDS = Set.of("pv", "persistentvolume", "persistentvolumes");

    private final ProcessEnvironment environment;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ServerOption server;

    @Parameters(paramLabel = "NAME", description = "The PersistentVolume: NAME or pv/NAME.")
    private String volume;

    ReleaseCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        String name = name();
        ApiClient client = ServerOption.client(server.access(environment.environment()));
        ObjectNode found = client.get(PATH + name);
        JsonNode reference = found.path("spec").path("claimRef");
        if (!reference.isObject()) {
            environment.out().println("persistentvolume/" + name + " is " + already(phase(found)));
            return ExitCode.OK.number();
        }
        refusal(name, found, claim(reference)).ifPresent(reason -> {
            throw new MooringException(ExitCode.CONFLICT, "Cannot release the volume: " + reason);
        });
        client.patch(PATH + name, withoutClaim(found));
        environment
                .out()
                .println("persistentvolume/" + name + " released: it was bound to claim " + claim(reference)
                        + uid(reference) + ". Its data is not changed, and the next matching claim can bind it.");
        String message = found.path("status").path("message").asText("");
        if (phase(found).equals("Failed") && !message.isEmpty()) {
            environment.err().println("The volume had failed: " + message);
        }
        return ExitCode.OK.number();
    }

    private String name() {
        int slash = volume.indexOf('/');
        if (slash >= 0 && !KINDS.contains(volume.substring(0, slash))) {
            throw new ParameterException(
                    spec.commandLine(), "PersistentVolume must be NAME or pv/NAME, got \"" + volume + "\"");
        }
        return TokenCommand.requireName(volume.substring(slash + 1), spec);
    }

    private static String already(String phase) {
        return phase.equals("Available") ? "already Available" : "bound to no claim; there is nothing to release";
    }

    /** Returns why the volume cannot be released and what to do instead. */
    private static Optional<String> refusal(String name, ObjectNode volume, String claim) {
        String named = "persistentvolume/" + name;
        if (volume.path("metadata").hasNonNull("deletionTimestamp")) {
            return Optional.of(named + " is being deleted");
        }
        String phase = phase(volume);
        if (phase.equals("Bound")) {
            return Optional.of(named + " is bound to claim " + claim
                    + ", which exists; next: delete that claim if it is not needed");
        }
        if (!phase.equals("Released") && !phase.equals("Failed")) {
            return Optional.of(
                    named + " is " + (phase.isEmpty() ? "Pending" : phase) + " and reserved for claim " + claim);
        }
        String policy =
                volume.path("spec").path("persistentVolumeReclaimPolicy").asText("Retain");
        if (!policy.equals("Retain")) {
            return Optional.of(named + " has the reclaim policy " + policy
                    + ", so its data is not kept; next: kubectl patch pv " + name
                    + " -p '{\"spec\":{\"persistentVolumeReclaimPolicy\":\"Retain\"}}', and check which data is left");
        }
        return Optional.empty();
    }

    /**
     * Returns the volume without its claim reference and without the bound-by-controller annotation, which would
     * wrongly apply to the next claim.
     */
    private static ObjectNode withoutClaim(ObjectNode volume) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        ObjectNode metadata = patch.putObject("metadata")
                .put(
                        "resourceVersion",
                        volume.path("metadata").path("resourceVersion").asText());
        if (volume.path("metadata").path("annotations").has(BOUND_BY_CONTROLLER)) {
            metadata.putObject("annotations").putNull(BOUND_BY_CONTROLLER);
        }
        patch.putObject("spec").putNull("claimRef");
        return patch;
    }

    private static String phase(ObjectNode volume) {
        return volume.path("status").path("phase").asText("");
    }

    private static String claim(JsonNode reference) {
        return reference.path("namespace").asText("")
                + '/'
                + reference.path("name").asText("");
    }

    private static String uid(JsonNode reference) {
        String uid = reference.path("uid").asText("");
        return uid.isEmpty() ? "" : " (uid " + uid + ")";
    }
}
