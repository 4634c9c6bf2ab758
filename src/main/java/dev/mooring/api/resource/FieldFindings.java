package dev.mooring.api.resource;

import dev.mooring.api.kind.Kind;
import dev.mooring.api.resource.WriteOptions.FieldValidation;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import java.util.List;

/** What unknown and repeated fields lead to. */
final class FieldFindings {
    private FieldFindings() {}

    /** The warnings to give, one each. */
    static List<String> judge(Kind kind, List<String> findings, FieldValidation validation) {
        if (findings.isEmpty() || validation == FieldValidation.IGNORE) {
            return List.of();
        }
        if (validation == FieldValidation.WARN) {
            return findings;
        }
        String name = kind.names().kind();
        throw new StatusException(
                Status.badRequest(name + " in version \"" + kind.names().version() + "\" cannot be handled as a " + name
                        + ": strict decoding error: " + String.join(", ", findings)));
    }
}
