/**
 * What {@code kubectl get} prints: the columns of every kind, Tables and metadata-only answers written from stored JSON, and the choice
 * between them by the {@code Accept} header. Plain library code: time is handed in, nothing here knows of HTTP servers or the store.
 */
package dev.mooring.api.table;
