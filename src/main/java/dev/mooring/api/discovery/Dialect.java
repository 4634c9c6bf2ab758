package dev.mooring.api.discovery;

/** The two versions of OpenAPI, as far as their schemas differ. */
enum Dialect {
    V2("#/definitions/"),
    V3("#/components/schemas/");

    private final String reference;

    Dialect(String reference) {
        this.reference = reference;
    }

    String reference(String schema) {
        return reference + schema;
    }
}
