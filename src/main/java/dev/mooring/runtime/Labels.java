package dev.mooring.runtime;

import java.util.LinkedHashMap;
import java.util.Map;

/** The labels by which Mooring finds its containers again. */
public final class Labels {
    /** Whose: another Mooring on the same engine has another. What has another or none is never touched. */
    public static final String INSTANCE = "dev.mooring.instance";

    private static final String POD_UID = "dev.mooring.pod.uid";
    private static final String POD_NAME = "dev.mooring.pod.name";
    private static final String POD_NAMESPACE = "dev.mooring.pod.namespace";
    private static final String ROLE = "dev.mooring.role";
    private static final String CONTAINER = "dev.mooring.container";
    private static final String ATTEMPT = "dev.mooring.attempt";
    private static final String SETBACKS = "dev.mooring.setbacks";
    private static final String SPEC = "dev.mooring.spec";
    private static final String SANDBOX = "dev.mooring.sandbox";

    private Labels() {}

    /** What a container is in its Pod. */
    public enum Role {
        /** Holds what a Pod's containers share. */
        SANDBOX,
        INIT,
        CONTAINER
    }

    /**
     * What the labels of a container say.
     *
     * @param container "" for a sandbox
     * @param attempt how many there were before it
     * @param setbacks how many of these in a row ended soon; decides how long the next one has to wait
     * @param spec stands for what was asked for; another one asks for another container
     * @param sandbox the id of the one it was made for; "" for a sandbox, and if that is not known
     */
    public record Of(
            String instance,
            String podUid,
            String podName,
            String podNamespace,
            Role role,
            String container,
            int attempt,
            int setbacks,
            String spec,
            String sandbox) {

        public Map<String, String> labels() {
            Map<String, String> labels = new LinkedHashMap<>();
            labels.put(INSTANCE, instance);
            labels.put(POD_UID, podUid);
            labels.put(POD_NAME, podName);
            labels.put(POD_NAMESPACE, podNamespace);
            labels.put(ROLE, role.name().toLowerCase(java.util.Locale.ROOT));
            labels.put(CONTAINER, container);
            labels.put(ATTEMPT, Integer.toString(attempt));
            labels.put(SETBACKS, Integer.toString(setbacks));
            labels.put(SPEC, spec);
            labels.put(SANDBOX, sandbox);
            return labels;
        }

        /** Unique among all containers of an engine, and the same for the same attempt: what makes a second one impossible. */
        public String containerName() {
            String part = role == Role.SANDBOX ? "POD" : container;
            return "mooring_" + part + '_' + podName + '_' + podNamespace + '_' + podUid + '_' + attempt;
        }

        static Of read(Map<String, String> labels) {
            return new Of(
                    labels.getOrDefault(INSTANCE, ""),
                    labels.getOrDefault(POD_UID, ""),
                    labels.getOrDefault(POD_NAME, ""),
                    labels.getOrDefault(POD_NAMESPACE, ""),
                    role(labels.getOrDefault(ROLE, "")),
                    labels.getOrDefault(CONTAINER, ""),
                    number(labels.getOrDefault(ATTEMPT, "")),
                    number(labels.getOrDefault(SETBACKS, "")),
                    labels.getOrDefault(SPEC, ""),
                    labels.getOrDefault(SANDBOX, ""));
        }

        private static Role role(String text) {
            return switch (text) {
                case "sandbox" -> Role.SANDBOX;
                case "init" -> Role.INIT;
                default -> Role.CONTAINER;
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
