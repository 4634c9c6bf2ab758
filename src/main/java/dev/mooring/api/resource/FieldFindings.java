package dev.mooring.api.resource;

import dev.mooring.api.decode.Decoded;
import dev.mooring.api.kind.Kind;
import dev.mooring.api.resource.WriteOptions.FieldValidation;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import java.util.List;

/** What unknown and repeated fields lead to. */
final class FieldFindings {
    private FieldFindings() {}

    /** The warnings to give, one each. */
    static List<String> judge(Kind kind, Decoded body, FieldValidation validation) {
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
