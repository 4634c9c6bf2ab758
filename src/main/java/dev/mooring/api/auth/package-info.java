/**
 * Authentication, authorization and the audit log: tokens, users, roles, self-reviews, rate limits. All decisions use the
 * current {@link dev.mooring.world.World}, so that a token is invalid from the commit that revokes it. Clock and randomness
 * are injected.
 */
package dev.mooring.api.auth;
