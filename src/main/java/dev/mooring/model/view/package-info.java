/**
 * What the logic wants to know of an object, in its words: {@code claim.request()} instead of {@code spec.resources.requests.storage}. Pure;
 * a view reads, and never changes, the object it was made of.
 */
package dev.mooring.model.view;
