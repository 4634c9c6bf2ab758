package dev.mooring.runtime;

import java.util.LinkedHashMap;
import java.util.Map;

/** The labels of Mooring's containers. */
public final class ContainerLabels {
    /**
     * The instance that owns a container: another Mooring on the same engine has another value. Containers with another
     * value or none are never touched.
     */
    public static final String INSTANCE = "dev.mooring.instance";

    private static final String POD_UID = "dev.mooring.pod.uid";
    private static final String POD_NAME = "dev.mooring.pod.name";
    private static final String POD_NAMESPACE = "dev.mooring.pod.namespace";
    private static final String ROLE = "dev.mooring.role";
    private static final String CONTAINER = "dev.mooring.container";
    private static final String ATTEMPT = "dev.mooring.attempt";
    private static final String BACKOFF_COUNT = "dev.mooring.setbacks";
    private static final String SPEC = "dev.mooring.spec";
    private static final String SANDBOX = "dev.mooring.sandbox";

    private ContainerLabels() {}

    /** The role of a container in its Pod. */
    public enum ContainerRole {
        /** Holds the shared namespaces of a Pod's containers. */
        SANDBOX,
        INIT,
        CONTAINER
    }

    /**
     * The identity of a container, as stored in its labels.
     *
     * @param container "" for a sandbox
     * @param attempt number of previous attempts
     * @param backoffCount number of previous consecutive attempts that ended soon; determines the next back-off
     * @param spec hash of the container's spec; a container whose hash differs is replaced
     * @param sandbox ID of the sandbox it was created for; "" for a sandbox, or if unknown
     */
    public record ContainerIdentity(
            String instance,
            String podUid,
            String podName,
            String podNamespace,
            ContainerRole role,
            String container,
            int attempt,
            int backoffCount,
            String spec,
            String sandbox) {

        public Map<String, String> toLabels() {
            Map<String, String> labels = new LinkedHashMap<>();
            labels.put(INSTANCE, instance);
            labels.put(POD_UID, podUid);
            labels.put(POD_NAME, podName);
            labels.put(POD_NAMESPACE, podNamespace);
            labels.put(ROLE, role.name().toLowerCase(java.util.Locale.ROOT));
            labels.put(CONTAINER, container);
            labels.put(ATTEMPT, Integer.toString(attempt));
            labels.put(BACKOFF_COUNT, Integer.toString(backoffCount));
            labels.put(SPEC, spec);
            labels.put(SANDBOX, sandbox);
            return labels;
        }

        /** Returns a name that is unique in an engine and equal for the same attempt, which prevents duplicates. */
        public String containerName() {
            String part = role == ContainerRole.SANDBOX ? "POD" : container;
            return "mooring_" + part + '_' + podName + '_' + podNamespace + '_' + podUid + '_' + attempt;
        }

        static ContainerIdentity read(Map<String, String> labels) {
            return new ContainerIdentity(
                    labels.getOrDefault(INSTANCE, ""),
                    labels.getOrDefault(POD_UID, ""),
                    labels.getOrDefault(POD_NAME, ""),
                    labels.getOrDefault(POD_NAMESPACE, ""),
                    role(labels.getOrDefault(ROLE, "")),
                    labels.getOrDefault(CONTAINER, ""),
                    number(labels.getOrDefault(ATTEMPT, "")),
                    number(labels.getOrDefault(BACKOFF_COUNT, "")),
                    labels.getOrDefault(SPEC, ""),
                    labels.getOrDefault(SANDBOX, ""));
        }

        private static ContainerRole role(String text) {
            return switch (text) {
                case "sandbox" -> ContainerRole.SANDBOX;
                case "init" -> ContainerRole.INIT;
                default -> ContainerRole.CONTAINER;
            };
        }

        private static int number(String text) {
            try {
                return Integer.parseInt(text);
            } catch (NumberFormatException e) {
                return 0;
            }
        }
    }
}
