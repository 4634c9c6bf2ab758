package dev.mooring.node.probe;

import java.util.Locale;

/** The kind of a probe. */
enum ProbeKind {
    STARTUP("startupProbe", "Startup"),
    LIVENESS("livenessProbe", "Liveness"),
    READINESS("readinessProbe", "Readiness");

    private final String field;
    private final String label;

    ProbeKind(String field, String word) {
        this.field = field;
        this.label = word;
    }

    /** Returns the field name in a container's spec. */
    String field() {
        return field;
    }

    /** Returns the name that begins the message of an Event. */
    String label() {
        return label;
    }

    /** Returns the name used in {@link ProbeManager.ProbeStatus#failure}. */
    String failureName() {
        return label.toLowerCase(Locale.ROOT);
    }
}
