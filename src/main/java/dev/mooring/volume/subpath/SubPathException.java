package dev.mooring.volume.subpath;

import dev.mooring.volume.path.PathException;

/** Why a part of a volume cannot be given to a container. Does not name the container: who asked knows that. */
final class SubPathException extends Exception {
    private static final long serialVersionUID = 1L;

    /** The kubelet has other words for the one and the other. */
    enum Stage {
        CREATING,
        PREPARING
    }

    private final Stage stage;
    private final String reason;

    SubPathException(Stage stage, String reason, String message) {
        super(message);
        this.stage = stage;
        this.reason = reason;
    }

    static SubPathException of(Stage stage, PathException e) {
        return new SubPathException(stage, e.isMissing() ? "NotFound" : "FileSystem", e.getMessage());
    }

    Stage stage() {
        return stage;
    }

    String reason() {
        return reason;
    }
}
