/**
 * Who somebody is and what they may do: tokens, users, roles, reviews of oneself, and how often one may ask. Everything is decided from
 * the {@link dev.mooring.world.World} at hand, so that a token ends with the commit that revokes it. Plain library code: time and
 * chance are handed in.
 */
package dev.mooring.api.auth;
