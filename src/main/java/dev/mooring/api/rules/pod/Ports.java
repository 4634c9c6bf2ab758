package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.node.TextNode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The ports of a container. Stateless. */
final class Ports {
    private static final List<String> PROTOCOLS = List.of("SCTP", "TCP", "UDP");

    private Ports() {}

    static void check(Spot container) {
        Set<String> names = new HashSet<>();
        for (Spot port : container.each("ports")) {
            Spot name = port.at("name");
            if (!name.text().isEmpty() && Spelled.portName(name) && !names.add(name.text())) {
                name.duplicate();
            }
            Spot inside = port.at("containerPort");
            if (inside.number() == 0) {
                inside.required();
            } else {
                Ranges.port(inside);
            }
            Spot outside = port.at("hostPort");
            if (outside.number() != 0) {
                Ranges.port(outside);
            }
            Spot protocol = port.at("protocol");
            if (protocol.text().isEmpty()) {
                protocol.required();
            } else if (!PROTOCOLS.contains(protocol.text())) {
                protocol.notSupported(PROTOCOLS);
            }
        }
    }

    /**
     * Says which port of the host is asked for twice.
     *
     * @param taken those of containers that run at the same time; grows
     */
    static void checkHostPorts(Spot container, Set<String> taken) {
        for (Spot port : container.each("ports")) {
            long outside = port.number("hostPort");
            if (outside == 0) {
                continue;
            }
            String key = port.text("protocol") + '/' + port.text("hostIP") + '/' + outside;
            if (!taken.add(key)) {
                port.at("hostPort").duplicate(TextNode.valueOf(key));
            }
        }
    }

    static void numberOrName(Spot port) {
        if (port.value().isTextual()) {
            Spelled.portName(port);
        } else {
            Ranges.port(port);
        }
    }
}
