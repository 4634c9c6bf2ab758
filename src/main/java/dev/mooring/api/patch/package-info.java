/**
 * Patches of objects: strategic merge, JSON merge (RFC 7386), JSON (RFC 6902); field ownership
 * ({@code metadata.managedFields}) and server-side apply, which follows Kubernetes' structured-merge-diff. Pure functions
 * that never modify their arguments.
 */
package dev.mooring.api.patch;
