package dev.mooring.api.auth;

import dev.mooring.api.rules.Violations;

/** The response to a review or a token request. */
public sealed interface ReviewResponse<T> {
    /** 201. */
    record Created<T>(T content) implements ReviewResponse<T> {}

    /**
     * 422: {@code KIND.GROUP "NAME" is invalid: …}.
     *
     * @param name "" if the object has none
     */
    record Invalid<T>(String group, String kind, String name, Violations violations) implements ReviewResponse<T> {}

    /** 400. */
    record BadRequest<T>(String message) implements ReviewResponse<T> {}
}
