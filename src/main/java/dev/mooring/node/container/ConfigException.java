package dev.mooring.node.container;

/**
 * Thrown when a container cannot be created as specified. The message is human-readable; {@code reason} is that of
 * {@code state.waiting}.
 */
public final class ConfigException extends Exception {
    /**
     * An object or path that the Pod refers to, such as a ConfigMap or a subPath, is missing or invalid; may be
     * retried.
     */
    public static final String CONFIG_ERROR = "CreateContainerConfigError";

    /** The node is not in the required state; for example, a volume is no longer mounted. */
    public static final String CREATE_ERROR = "CreateContainerError";

    /** The Pod sets a sysctl that is not namespaced. Permanent. */
    public static final String SYSCTL_FORBIDDEN = "SysctlForbidden";

    private static final long serialVersionUID = 1L;

    private final String reason;

    public ConfigException(String reason, String message) {
        super(message);
        this.reason = reason;
    }

    static ConfigException configError(String message) {
        return new ConfigException(CONFIG_ERROR, message);
    }

    static ConfigException createError(String message) {
        return new ConfigException(CREATE_ERROR, message);
    }

    public String reason() {
        return reason;
    }
}
