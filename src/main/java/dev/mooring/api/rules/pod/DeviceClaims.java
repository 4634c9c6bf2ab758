package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.node.TextNode;
import java.util.HashSet;
import java.util.Set;

/** Devices that are set aside for a Pod, and which of its containers use them. Stateless. */
final class DeviceClaims {
    private DeviceClaims() {}

    static void check(Spot claims) {
        Set<String> names = new HashSet<>();
        for (Spot claim : claims.each()) {
            Spot name = claim.at("name");
            if (name.text().isEmpty()) {
                name.required();
            } else if (!names.add(name.text())) {
                name.duplicate();
            } else {
                Spelled.label(name);
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
                Spelled.subdomain(claim.at("resourceClaimName"));
            }
            if (template) {
                Spelled.subdomain(claim.at("resourceClaimTemplateName"));
            }
        }
    }

    /** @param all those of the Pod */
    static void checkUse(Spot used, Spot all) {
        if (used.value().isEmpty()) {
            return;
        }
        Set<String> known = new HashSet<>();
        all.each().forEach(claim -> known.add(claim.text("name")));
        Set<String> seen = new HashSet<>();
        for (Spot use : used.each()) {
            String name = use.text("name");
            if (name.isEmpty()) {
                use.required();
                continue;
            }
            String request = use.text("request");
            if (!request.isEmpty()) {
                Spelled.label(use.at("request"));
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
