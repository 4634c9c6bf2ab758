package dev.mooring.node.container;

/** A container cannot be made as its Pod wants it. The message is for people; {@code reason} is that of {@code state.waiting}. */
public final class ConfigException extends Exception {
    /** Something is missing or wrong that the Pod refers to, such as a ConfigMap; that may change. */
    public static final String CONFIG_ERROR = "CreateContainerConfigError";

    /** Something went wrong while it was prepared, such as a subPath. */
    public static final String CREATE_ERROR = "CreateContainerError";

    private final String reason;

    public ConfigException(String reason, String message) {
        super(message);
        this.reason = reason;
    }

    public String reason() {
        return reason;
    }
}
