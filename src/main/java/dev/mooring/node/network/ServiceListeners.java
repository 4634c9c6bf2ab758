package dev.mooring.node.network;

import dev.mooring.control.Effect;
import dev.mooring.model.ObjectKey;
import java.util.List;

/**
 * The listeners that a Service must have from now on; none if it does not exist.
 *
 * @param listeners sorted
 */
record ServiceListeners(ObjectKey service, List<Listener> listeners) implements Effect {
    /** Address of node ports: all addresses of the machine. */
    static final String ALL_ADDRESSES = "0.0.0.0";

    ServiceListeners {
        listeners = List.copyOf(listeners);
    }

    /**
     * A listener.
     *
     * @param portName name of the Service's port
     */
    record Listener(String address, int port, String portName) {
        boolean isNodePort() {
            return address.equals(ALL_ADDRESSES);
        }
    }
}
