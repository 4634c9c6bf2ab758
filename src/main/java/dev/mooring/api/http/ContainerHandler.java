package dev.mooring.api.http;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.container.ContainerRequests;
import dev.mooring.api.policy.PodPolicy;
import dev.mooring.api.resource.ResourceRef;
import dev.mooring.model.view.Pod;
import dev.mooring.world.Ledger;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.function.BooleanSupplier;

/**
 * Handles container requests: finds the Pod and keeps the connection from being closed as idle. Confined to one event
 * loop.
 */
final class ContainerHandler {
    private static final String LOG = "log";
    private static final String EXEC = "exec";
    private static final String ATTACH = "attach";

    private final Ledger ledger;
    private final PodPolicy policy;
    private final ConnectionTracker connections;
    private final SharedLimit streams;
    private final ContainerRequests requests;

    ContainerHandler(Vertx vertx, ApiCore core, ConnectionTracker connections) {
        this.ledger = core.stateStore().ledger();
        this.policy = core.policy();
        this.connections = connections;
        this.streams = core.sharedLimits().containerStreams();
        this.requests = new ContainerRequests(
                vertx, core.services().containers(), core.clock(), core.limits().watchTick());
    }

    /** Returns whether the path is a container subresource. */
    static boolean handles(ResourceRef target) {
        return target.kind().names().kind().equals("Pod")
                && switch (target.subresource()) {
                    case LOG, EXEC, ATTACH -> true;
                    default -> false;
                };
    }

    /** Returns Kubernetes' authorization verb. */
    static String verb(HttpMethod method, ResourceRef target) {
        if (method.equals(HttpMethod.GET)) {
            return "get";
        }
        if (method.equals(HttpMethod.POST) && !target.subresource().equals(LOG)) {
            return "create";
        }
        throw new StatusException(Status.methodNotAllowed());
    }

    /** @param allowed rechecks the user's permission; called periodically */
    void handle(ApiRequest apiRequest, ResourceRef target, BooleanSupplier allowed) {
        Pod pod =
                ledger.world().get(target.key()).map(Pod::of).orElseThrow(() -> new StatusException(target.notFound()));
        if (!target.subresource().equals(LOG)) {
            policy.execRefusal(apiRequest.user(), pod.namespace(), pod.tree()).ifPresent(why -> {
                throw new StatusException(target.forbidden(pod.name(), why));
            });
        }
        ContainerRequests.ContainerStreamRequest streamRequest = new OpenStreamRequest(apiRequest, allowed);
        switch (target.subresource()) {
            case LOG -> requests.log(streamRequest, pod);
            case EXEC -> requests.exec(streamRequest, pod);
            default -> requests.attach(streamRequest, pod);
        }
    }

    void close() {
        requests.close();
    }

    private final class OpenStreamRequest implements ContainerRequests.ContainerStreamRequest {
        private static final int SWITCHING = 101;

        private final ApiRequest apiRequest;
        private final BooleanSupplier allowed;
        private boolean switched;

        private OpenStreamRequest(ApiRequest apiRequest, BooleanSupplier allowed) {
            this.apiRequest = apiRequest;
            this.allowed = allowed;
        }

        @Override
        public HttpServerRequest request() {
            return apiRequest.request();
        }

        @Override
        public Context context() {
            return apiRequest.context();
        }

        @Override
        public void respond(Status status) {
            apiRequest.respond(status);
        }

        @Override
        public void fail(Throwable failure) {
            apiRequest.fail(failure);
        }

        @Override
        public void acquireStream() {
            streams.acquire(apiRequest.user(), 1).ifPresent(refusal -> {
                throw new StatusException(refusal);
            });
        }

        @Override
        public void releaseStream() {
            streams.release(apiRequest.user(), 1);
        }

        @Override
        public void responseStarted(int code) {
            switched = code == SWITCHING;
            apiRequest.recordStreamingResponse(code);
            connections.watchOpened(request().connection());
        }

        @Override
        public void responseEnded() {
            connections.watchClosed(request().connection());
            if (switched) {
                connections.upgradeEnded(request().connection());
            }
        }

        @Override
        public boolean isAllowed() {
            return allowed.getAsBoolean();
        }
    }
}
