package dev.mooring.server;

import dev.mooring.api.auth.AuditLevel;
import java.nio.file.Path;

/**
 * Audit log settings.
 *
 * @param maxBytes size limit of one file
 * @param files number of files kept, including the current one
 */
public record AuditSettings(AuditLevel level, Path file, long maxBytes, int files) {}
