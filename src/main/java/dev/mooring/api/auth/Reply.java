package dev.mooring.api.auth;

import dev.mooring.api.kind.Violations;

/** What becomes of a review or a request for a token. */
public sealed interface Reply<T> {
    /** 201. */
    record Answer<T>(T content) implements Reply<T> {}

    /**
     * 422: {@code KIND.GROUP "NAME" is invalid: …}.
     *
     * @param name "" if the object has none
     */
    record Invalid<T>(String group, String kind, String name, Violations violations) implements Reply<T> {}

    /** 400. */
    record BadRequest<T>(String message) implements Reply<T> {}
}
