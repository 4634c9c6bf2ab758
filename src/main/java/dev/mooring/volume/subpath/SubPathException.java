package dev.mooring.volume.subpath;

import dev.mooring.host.PathException;

/** Why a subPath cannot be provided to a container. Does not name the container, which the caller knows. */
final class SubPathException extends Exception {
    private static final long serialVersionUID = 1L;

    /** The failed stage; the kubelet's message depends on it. */
    enum SubPathStage {
        CREATING,
        PREPARING
    }

    private final SubPathStage stage;
    private final String reason;

    SubPathException(SubPathStage stage, String reason, String message) {
        super(message);
        this.stage = stage;
        this.reason = reason;
    }

    static SubPathException of(SubPathStage stage, PathException e) {
        return new SubPathException(stage, e.isMissing() ? "NotFound" : "FileSystem", e.getMessage());
    }

    SubPathStage stage() {
        return stage;
    }

    String reason() {
        return reason;
    }
}
