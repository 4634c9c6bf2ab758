package dev.mooring.node.container;

/**
 * Where a Pod and its node can be reached.
 *
 * @param pod "" if it is not known yet, see {@link ContainerSpecs#needsAddress}
 * @param node "" if it is not known
 */
public record Addresses(String pod, String node) {}
