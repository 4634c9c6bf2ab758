package dev.mooring.node.probe;

import com.fasterxml.jackson.databind.JsonNode;

/** Resolves the port of a handler to its number. */
final class ContainerPorts {
    private static final int HIGHEST = 65535;

    private ContainerPorts() {}

    /** The port does not exist. The message is the kubelet's. */
    static final class UnknownPortException extends Exception {
        UnknownPortException(String message) {
            super(message);
        }
    }

    /**
     * Returns the number of a port.
     *
     * @param port a number, or the name of one of the container's ports
     */
    static int number(JsonNode port, JsonNode container) throws UnknownPortException {
        int number = port.isTextual() ? named(port.asText(), container) : port.asInt(-1);
        if (number <= 0 || number > HIGHEST) {
            throw new UnknownPortException("invalid port number: " + number);
        }
        return number;
    }

    private static int named(String name, JsonNode container) throws UnknownPortException {
        for (JsonNode each : container.path("ports")) {
            if (each.path("name").asText("").equals(name)) {
                return each.path("containerPort").asInt(-1);
            }
        }
        try {
            return Integer.parseInt(name);
        } catch (NumberFormatException e) {
            throw new UnknownPortException("strconv.Atoi: parsing " + ProbeMessages.quoted(name) + ": invalid syntax");
        }
    }
}
