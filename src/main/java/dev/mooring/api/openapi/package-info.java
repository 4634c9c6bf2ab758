/**
 * The schemas as OpenAPI documents, for {@code kubectl explain}, for validation by clients and for the patches they compute. Version 3
 * (one document for each group version) is what today's clients read; version 2, as JSON and as protobuf, is for kubectl up to 1.28.
 */
package dev.mooring.api.openapi;
