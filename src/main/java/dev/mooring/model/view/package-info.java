/**
 * Typed read-only views of stored objects: {@code claim.request()} instead of {@code spec.resources.requests.storage};
 * and the parameters of StorageClasses. Pure; a view never changes its object.
 */
package dev.mooring.model.view;
