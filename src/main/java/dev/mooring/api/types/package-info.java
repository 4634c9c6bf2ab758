/**
 * The types of the API: schemas of objects, defined in the {@code .schema} files next to these classes; descriptions of
 * kinds; and decoding of JSON, YAML and protobuf bodies into objects of the right shape, with Kubernetes' error messages.
 * Stateless and thread-safe.
 */
package dev.mooring.api.types;
