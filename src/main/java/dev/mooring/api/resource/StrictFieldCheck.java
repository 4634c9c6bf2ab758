package dev.mooring.api.resource;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.resource.WriteOptions.FieldValidation;
import dev.mooring.api.types.DecodedBody;
import dev.mooring.api.types.KindDefinition;
import java.util.List;

/** Handles unknown and duplicate fields. */
final class StrictFieldCheck {
    private StrictFieldCheck() {}

    /** Returns the warnings, one per finding. */
    static List<String> check(KindDefinition kind, DecodedBody body, FieldValidation validation) {
        if (body.findings().isEmpty() || validation == FieldValidation.IGNORE) {
            return List.of();
        }
        if (validation == FieldValidation.WARN) {
            return body.findings();
        }
        throw new StatusException(
                Status.badRequest(kind.decoder().refusal(body.strictError().orElseThrow())));
    }
}
