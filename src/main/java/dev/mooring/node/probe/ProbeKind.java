package dev.mooring.node.probe;

import java.util.Locale;

/** What is asked of a container. */
enum ProbeKind {
    STARTUP("startupProbe", "Startup"),
    LIVENESS("livenessProbe", "Liveness"),
    READINESS("readinessProbe", "Readiness");

    private final String field;
    private final String word;

    ProbeKind(String field, String word) {
        this.field = field;
        this.word = word;
    }

    /** Of a container's spec. */
    String field() {
        return field;
    }

    /** As it begins the sentence of an Event. */
    String word() {
        return word;
    }

    /** As in {@link Verdict#failure}. */
    String failure() {
        return word.toLowerCase(Locale.ROOT);
    }
}
