package dev.mooring.api.decode;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;

/**
 * An object of the right shape, and what a strict reader would not have let pass.
 *
 * @param findings duplicate and unknown fields, one message each: with {@code fieldValidation=Warn} each is a warning
 */
public record Decoded(ObjectNode object, List<String> findings) {

    /** With {@code fieldValidation=Strict}: why the object is refused. */
    public Optional<String> strictError() {
        return findings.isEmpty()
                ? Optional.empty()
                : Optional.of("strict decoding error: " + String.join(", ", findings));
    }
}
