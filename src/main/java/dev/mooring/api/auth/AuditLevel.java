package dev.mooring.api.auth;

/** How much the audit log records of a request. */
public enum AuditLevel {
    /** No audit log. */
    OFF,
    /** User, address, verb, object, decision and response code. */
    METADATA,
    /** Metadata and the request's body without secrets. */
    REQUEST
}
