/**
 * Who wrote which field: {@code metadata.managedFields}, and server-side apply, which merges what several writers want. Follows
 * Kubernetes' structured-merge-diff and its field manager. Functions over objects and their types; no I/O, no clock.
 */
package dev.mooring.api.apply;
