package dev.mooring.api.types;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;

/**
 * A decoded object and the findings of strict validation.
 *
 * @param findings duplicate and unknown fields, one message each: with {@code fieldValidation=Warn} each is a warning
 */
public record DecodedBody(ObjectNode object, List<String> findings) {

    /** Returns why {@code fieldValidation=Strict} rejects the object; empty if it does not. */
    public Optional<String> strictError() {
        return findings.isEmpty()
                ? Optional.empty()
                : Optional.of("strict decoding error: " + String.join(", ", findings));
    }
}
