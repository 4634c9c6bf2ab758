package dev.mooring.api;

import java.util.Optional;

/**
 * The outcome of a health check.
 *
 * @param problem empty when all is well; else what is wrong, in words that may be shown to anyone who can reach the server
 */
public record Health(Optional<String> problem) {
    private static final Health OK = new Health(Optional.empty());

    public static Health ok() {
        return OK;
    }

    public static Health failing(String problem) {
        return new Health(Optional.of(problem));
    }

    public boolean isOk() {
        return problem.isEmpty();
    }
}
