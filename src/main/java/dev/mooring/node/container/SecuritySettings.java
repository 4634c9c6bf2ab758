package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ContainerSpec.Seccomp;
import dev.mooring.runtime.ContainerSpec.Security;
import dev.mooring.runtime.ImageFacts;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The security settings of a container: its own {@code securityContext} over its Pod's. Without a seccomp profile the
 * engine's default applies, which is stricter than the kubelet's. Stateless.
 */
final class SecuritySettings {
    private static final String CAPABILITY = "CAP_";
    private static final String ROOT = "0";

    private final Pod pod;
    private final JsonNode container;
    private final JsonNode ofPod;
    private final JsonNode own;

    private SecuritySettings(Pod pod, JsonNode container) {
        this.pod = pod;
        this.container = container;
        this.ofPod = pod.spec().path("securityContext");
        this.own = container.path("securityContext");
    }

    static Security of(Pod pod, JsonNode container, ImageFacts image) throws ConfigException {
        return new SecuritySettings(pod, container).security(image);
    }

    private Security security(ImageFacts image) throws ConfigException {
        requireNonRoot(image);
        boolean privileged = own.path("privileged").asBoolean(false);
        return new Security(
                user(image),
                groups(),
                privileged,
                own.path("readOnlyRootFilesystem").asBoolean(false),
                own.path("allowPrivilegeEscalation").asBoolean(true),
                capabilities("add"),
                capabilities("drop"),
                seccomp(privileged),
                own.path("procMount").asText("").equals("Unmasked"),
                seLinux(either("seLinuxOptions")));
    }

    /** Returns the fields of {@code seLinuxOptions} that are set. */
    static Map<String, String> seLinux(JsonNode options) {
        Map<String, String> set = new LinkedHashMap<>();
        for (String field : List.of("user", "role", "type", "level")) {
            String value = options.path(field).asText("");
            if (!value.isEmpty()) {
                set.put(field, value);
            }
        }
        return set;
    }

    /** Returns the field of the container or of the Pod; missing if neither has it. */
    private JsonNode either(String field) {
        if (own.hasNonNull(field)) {
            return own.path(field);
        }
        return ofPod.hasNonNull(field) ? ofPod.path(field) : MissingNode.getInstance();
    }

    private String user(ImageFacts image) {
        JsonNode user = either("runAsUser");
        JsonNode group = either("runAsGroup");
        if (group.isMissingNode()) {
            return user.isMissingNode() ? "" : user.asText();
        }
        String name = user.isMissingNode() ? userOf(image) : user.asText();
        return name + ':' + group.asText();
    }

    /** Returns the image's user without the group. */
    private static String userOf(ImageFacts image) {
        String user = image.user();
        int colon = user.indexOf(':');
        String name = colon < 0 ? user : user.substring(0, colon);
        return name.isEmpty() ? ROOT : name;
    }

    private void requireNonRoot(ImageFacts image) throws ConfigException {
        if (!either("runAsNonRoot").asBoolean(false)) {
            return;
        }
        JsonNode user = either("runAsUser");
        if (!user.isMissingNode()) {
            if (user.asLong() == 0) {
                throw ConfigException.configError("container's runAsUser breaks non-root policy " + podAndContainer());
            }
            return;
        }
        String name = userOf(image);
        if (name.chars().anyMatch(c -> c < '0' || c > '9')) {
            throw ConfigException.configError("container has runAsNonRoot and image has non-numeric user (" + name
                    + "), cannot verify user is non-root " + podAndContainer());
        }
        if (name.chars().allMatch(c -> c == '0')) {
            throw ConfigException.configError(
                    "container has runAsNonRoot and image will run as root " + podAndContainer());
        }
    }

    private String podAndContainer() {
        return "(pod: \"" + pod.name() + '_' + pod.namespace() + '(' + pod.uid() + ")\", container: "
                + container.path("name").asText("") + ')';
    }

    private List<Long> groups() {
        List<Long> groups = new ArrayList<>();
        if (ofPod.hasNonNull("fsGroup")) {
            groups.add(ofPod.path("fsGroup").asLong());
        }
        for (JsonNode each : ofPod.path("supplementalGroups")) {
            if (!groups.contains(each.asLong())) {
                groups.add(each.asLong());
            }
        }
        return groups;
    }

    private List<String> capabilities(String list) {
        List<String> names = new ArrayList<>();
        for (JsonNode each : own.path("capabilities").path(list)) {
            String name = each.asText("").toUpperCase(Locale.ROOT);
            names.add(name.startsWith(CAPABILITY) ? name.substring(CAPABILITY.length()) : name);
        }
        return names;
    }

    private Seccomp seccomp(boolean privileged) throws ConfigException {
        String type = either("seccompProfile").path("type").asText("");
        return switch (type) {
            case "" -> privileged ? Seccomp.UNCONFINED : Seccomp.DEFAULT;
            case "RuntimeDefault" -> Seccomp.DEFAULT;
            case "Unconfined" -> Seccomp.UNCONFINED;
            default ->
                throw ConfigException.configError("seccompProfile type " + type
                        + " is not supported on this node; use RuntimeDefault or Unconfined");
        };
    }
}
