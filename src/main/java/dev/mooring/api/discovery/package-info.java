/**
 * API discovery and OpenAPI documents (versions 3 and, for kubectl up to 1.28, 2), which clients request first. Built from
 * the schemas and a list of kinds, and served from memory.
 */
package dev.mooring.api.discovery;
