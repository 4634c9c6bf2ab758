package dev.mooring.node.probe;

import com.fasterxml.jackson.databind.JsonNode;

/** Finds the number of a port that a handler names. */
final class Ports {
    private static final int HIGHEST = 65535;

    private Ports() {}

    /** There is no such port. In the kubelet's words. */
    static final class UnknownPortException extends Exception {
        UnknownPortException(String message) {
            super(message);
        }
    }

    /**
     * @param port a number, or a name among the ports of the container
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
            throw new UnknownPortException("strconv.Atoi: parsing " + Words.quoted(name) + ": invalid syntax");
        }
    }
}
