package dev.mooring.log;

import java.io.IOException;

/** Thrown when a log is encrypted with a key that was not given. The log itself is not damaged. */
public final class EncryptionKeyException extends IOException {
    private static final long serialVersionUID = 1L;

    public EncryptionKeyException(String message) {
        super(message);
    }
}
