package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.node.TextNode;
import java.util.HashSet;
import java.util.Set;

/** Rules of a Pod's resource claims, and of their use by containers. Stateless. */
final class ResourceClaimRules {
    private ResourceClaimRules() {}

    static void check(FieldCursor claims) {
        Set<String> names = new HashSet<>();
        for (FieldCursor claim : claims.each()) {
            FieldCursor name = claim.at("name");
            if (name.text().isEmpty()) {
                name.required();
            } else if (!names.add(name.text())) {
                name.duplicate();
            } else {
                NameValidation.label(name);
            }
            boolean named = claim.has("resourceClaimName");
            boolean template = claim.has("resourceClaimTemplateName");
            if (named && template) {
                claim.invalid("at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified");
            }
            if (!named && !template) {
                claim.invalid("must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
            }
            if (named) {
                NameValidation.subdomain(claim.at("resourceClaimName"));
            }
            if (template) {
                NameValidation.subdomain(claim.at("resourceClaimTemplateName"));
            }
        }
    }

    /** @param all claims of the Pod */
    static void checkUse(FieldCursor used, FieldCursor all) {
        if (used.value().isEmpty()) {
            return;
        }
        Set<String> known = new HashSet<>();
        all.each().forEach(claim -> known.add(claim.text("name")));
        Set<String> seen = new HashSet<>();
        for (FieldCursor use : used.each()) {
            String name = use.text("name");
            if (name.isEmpty()) {
                use.required();
                continue;
            }
            String request = use.text("request");
            if (!request.isEmpty()) {
                NameValidation.label(use.at("request"));
            }
            String key = request.isEmpty() ? name : name + '/' + request;
            if (seen.contains(name) || !seen.add(key)) {
                use.duplicate(TextNode.valueOf(seen.contains(name) ? name : key));
            }
            if (!known.contains(name)) {
                use.at("name").reportedAt(use).notFound();
            }
        }
    }
}
