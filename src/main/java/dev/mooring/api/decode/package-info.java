/**
 * From the bytes of a request to an object of the right shape. Parsing ({@code JsonBody}, {@code YamlBody}) knows no types,
 * {@code ShapeCheck} walks an object along its type, {@code Decoder} is both with the words of Kubernetes around their errors.
 * Stateless: everything here may be called from any thread.
 */
package dev.mooring.api.decode;
