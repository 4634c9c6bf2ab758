package dev.mooring.node.container;

/** A container cannot be made as its Pod wants it. The message is for people; {@code reason} is that of {@code state.waiting}. */
public final class ConfigException extends Exception {
    /** Something is missing or wrong that the Pod refers to, such as a ConfigMap or a subPath; that may change. */
    public static final String CONFIG_ERROR = "CreateContainerConfigError";

    /** The node is not as it has to be, such as when a volume is not mounted any more. */
    public static final String CREATE_ERROR = "CreateContainerError";

    /** The Pod wants to set something of the kernel that would reach beyond it. That does not change. */
    public static final String SYSCTL_FORBIDDEN = "SysctlForbidden";

    private static final long serialVersionUID = 1L;

    private final String reason;

    public ConfigException(String reason, String message) {
        super(message);
        this.reason = reason;
    }

    static ConfigException config(String message) {
        return new ConfigException(CONFIG_ERROR, message);
    }

    static ConfigException create(String message) {
        return new ConfigException(CREATE_ERROR, message);
    }

    public String reason() {
        return reason;
    }
}
