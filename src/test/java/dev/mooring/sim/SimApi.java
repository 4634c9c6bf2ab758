package dev.mooring.sim;

import dev.mooring.api.http.SimAccess;
import dev.mooring.api.resource.Catalog;
import dev.mooring.api.resource.LeaseCache;
import dev.mooring.api.resource.ResourceWriter;
import dev.mooring.world.StateStore;

/**
 * The API of one server process, as users and watchers see it. Requests to a killed process are never answered; the
 * next process has a new {@code SimApi}.
 *
 * @param taskGroup of the process; clients run on executors of their own task groups and pass executors of the process
 *     to the writer as its event loop
 * @param access authorizes requests
 * @param loop the API's event loop: the executor for {@link ResourceWriter}'s {@code back}
 */
public record SimApi(
        SimTaskGroup taskGroup,
        StateStore stateStore,
        ResourceWriter writer,
        SimAccess access,
        LeaseCache heartbeats,
        Catalog catalog,
        SimSerialExecutor loop) {}
