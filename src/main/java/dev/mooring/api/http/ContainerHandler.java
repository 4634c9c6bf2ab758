package dev.mooring.api.http;

import dev.mooring.api.ApiCore;
import dev.mooring.api.container.ContainerRequests;
import dev.mooring.api.container.Conversation;
import dev.mooring.api.policy.PodPolicy;
import dev.mooring.api.resource.Target;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import dev.mooring.model.view.Pod;
import dev.mooring.world.Ledger;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.function.BooleanSupplier;

/** Requests about the containers of a Pod: finds the Pod, and keeps their connections from being taken for idle. For one event loop. */
final class ContainerHandler {
    private static final String LOG = "log";
    private static final String EXEC = "exec";
    private static final String ATTACH = "attach";

    private final Ledger ledger;
    private final PodPolicy policy;
    private final Connections connections;
    private final ContainerRequests requests;

    ContainerHandler(Vertx vertx, ApiCore core, Connections connections) {
        this.ledger = core.spine().ledger();
        this.policy = core.policy();
        this.connections = connections;
        this.requests = new ContainerRequests(
                vertx, core.containers(), core.clock(), core.limits().watchTick());
    }

    /** Whether this is a path for containers. */
    static boolean isAbout(Target target) {
        return target.kind().names().kind().equals("Pod")
                && switch (target.subresource()) {
                    case LOG, EXEC, ATTACH -> true;
                    default -> false;
                };
    }

    /** The verb of Kubernetes' authorization. */
    static String verb(HttpMethod method, Target target) {
        if (method.equals(HttpMethod.GET)) {
            return "get";
        }
        if (method.equals(HttpMethod.POST) && !target.subresource().equals(LOG)) {
            return "create";
        }
        throw new StatusException(Status.methodNotAllowed());
    }

    /** @param allowed whether the user may still have this; asked again and again */
    void handle(Exchange exchange, Target target, BooleanSupplier allowed) {
        Pod pod =
                ledger.world().get(target.key()).map(Pod::of).orElseThrow(() -> new StatusException(target.notFound()));
        if (!target.subresource().equals(LOG)) {
            policy.entryRefusal(exchange.user(), pod.namespace(), pod.tree()).ifPresent(why -> {
                throw new StatusException(target.forbidden(pod.name(), why));
            });
        }
        Conversation conversation = new Open(exchange, allowed);
        switch (target.subresource()) {
            case LOG -> requests.log(conversation, pod);
            case EXEC -> requests.exec(conversation, pod);
            default -> requests.attach(conversation, pod);
        }
    }

    void close() {
        requests.close();
    }

    private final class Open implements Conversation {
        private static final int SWITCHING = 101;

        private final Exchange exchange;
        private final BooleanSupplier allowed;
        private boolean switched;

        private Open(Exchange exchange, BooleanSupplier allowed) {
            this.exchange = exchange;
            this.allowed = allowed;
        }

        @Override
        public HttpServerRequest request() {
            return exchange.request();
        }

        @Override
        public Context context() {
            return exchange.context();
        }

        @Override
        public void answer(Status status) {
            exchange.answer(status);
        }

        @Override
        public void fail(Throwable failure) {
            exchange.fail(failure);
        }

        @Override
        public void began(int code) {
            switched = code == SWITCHING;
            exchange.access().answered(request(), code);
            connections.watchOpened(request().connection());
        }

        @Override
        public void over() {
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
