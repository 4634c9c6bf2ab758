package dev.mooring.node.network;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.ServiceRange;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Service;
import dev.mooring.model.view.Service.ServicePort;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decides which listeners each Service has: its address with each of its ports, and its node ports. The endpoints are
 * chosen for each connection, so they are no concern of this controller. Keyed by Service.
 */
public final class ServiceProxyController implements Controller {
    private static final String NAME = "service-proxy";

    private final ServiceRange range;

    /** @param range addresses on which the node listens; others are left alone */
    public ServiceProxyController(ServiceRange range) {
        this.range = range;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(Scope.resource(Service.RESOURCE));
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        queue.enqueue(change.key());
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        List<ServiceListeners.Listener> listeners =
                world.get(key).map(Service::of).map(this::listeners).orElse(List.of());
        return Decision.none().withEffects(new ServiceListeners(key, listeners));
    }

    private List<ServiceListeners.Listener> listeners(Service service) {
        List<ServiceListeners.Listener> listeners = new ArrayList<>();
        Optional<String> address = service.clusterIp()
                .filter(each ->
                        ServiceRange.address(each).filter(range::contains).isPresent());
        for (ServicePort port : service.ports()) {
            if (port.protocol().equals("TCP")) {
                address.ifPresent(each -> listeners.add(new ServiceListeners.Listener(each, port.port(), port.name())));
                if (port.nodePort() > 0) {
                    listeners.add(new ServiceListeners.Listener(
                            ServiceListeners.ALL_ADDRESSES, port.nodePort(), port.name()));
                }
            }
        }
        return listeners;
    }
}
