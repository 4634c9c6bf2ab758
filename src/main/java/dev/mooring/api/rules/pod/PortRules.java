package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.node.TextNode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Rules of a container's ports. Stateless. */
final class PortRules {
    private static final List<String> PROTOCOLS = List.of("SCTP", "TCP", "UDP");

    private PortRules() {}

    static void check(FieldCursor container) {
        Set<String> names = new HashSet<>();
        for (FieldCursor port : container.each("ports")) {
            FieldCursor name = port.at("name");
            if (!name.text().isEmpty() && NameValidation.portName(name) && !names.add(name.text())) {
                name.duplicate();
            }
            FieldCursor inside = port.at("containerPort");
            if (inside.number() == 0) {
                inside.required();
            } else {
                NumberRules.port(inside);
            }
            FieldCursor outside = port.at("hostPort");
            if (outside.number() != 0) {
                NumberRules.port(outside);
            }
            FieldCursor protocol = port.at("protocol");
            if (protocol.text().isEmpty()) {
                protocol.required();
            } else if (!PROTOCOLS.contains(protocol.text())) {
                protocol.notSupported(PROTOCOLS);
            }
        }
    }

    /**
     * Adds errors for duplicate host ports.
     *
     * @param taken ports of containers that run at the same time; modified
     */
    static void checkHostPorts(FieldCursor container, Set<String> taken) {
        for (FieldCursor port : container.each("ports")) {
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

    static void numberOrName(FieldCursor port) {
        if (port.value().isTextual()) {
            NameValidation.portName(port);
        } else {
            NumberRules.port(port);
        }
    }
}
