package dev.mooring.node.container;

/**
 * The addresses of a Pod and its node.
 *
 * @param pod "" if unknown, see {@link ContainerSpecs#needsAddress}
 * @param node "" if unknown
 */
public record PodAddresses(String pod, String node) {}
