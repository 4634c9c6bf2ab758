/**
 * The output of {@code kubectl get}: columns of every kind, Tables and metadata-only responses from stored JSON, and
 * content negotiation by the {@code Accept} header. The clock is injected; independent of the HTTP server and the
 * store.
 */
package dev.mooring.api.table;
