package dev.mooring.api.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.Attributes;
import dev.mooring.api.auth.Authorizer;
import dev.mooring.api.auth.User;
import dev.mooring.model.Json;
import dev.mooring.model.NearestMatch;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.PointInTime;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.EventHistory;
import dev.mooring.world.World;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/**
 * Serves the events of the log: {@code GET …/history} returns or watches them, {@code GET …/history/timeline} counts
 * them over time. Users with a role get the changes of objects that they may read; nodes may not read the past.
 * Confined to one event loop; events are read on a few threads of their own, because a request reads many.
 */
final class HistoryHandler {
    private static final String GROUP = "mooring.dev";
    private static final String RESOURCE = "history";
    private static final String PATH = "/apis/" + GROUP + "/v1/" + RESOURCE;

    /** Threads for all requests, which bounds the memory for events read from disk. */
    private static final int THREADS = 2;

    /** Names compared with an unknown one. */
    private static final int MAX_CANDIDATES = 10_000;

    private final ApiCore core;
    private final EventHistory events;
    private final WatchManager watches;
    private final RequestAuthenticator requestAuthenticator;
    private final WorkerExecutor threads;
    private final HistoryTimeline timeline;

    HistoryHandler(Vertx vertx, ApiCore core, WatchManager watches, RequestAuthenticator requestAuthenticator) {
        this.core = core;
        this.events = core.stateStore().history().events();
        this.watches = watches;
        this.requestAuthenticator = requestAuthenticator;
        this.threads = vertx.createSharedWorkerExecutor("mooring-history-reads", THREADS);
        this.timeline = new HistoryTimeline(core.stateStore());
    }

    /** Handles the request and returns true if it reads events. */
    boolean handle(ApiRequest request) {
        String path = request.request().path();
        if (!path.equals(PATH) && !path.equals(PATH + "/timeline")) {
            return false;
        }
        boolean isWatch = path.equals(PATH) && request.query().flag("watch");
        authorize(request, isWatch ? "watch" : "list");
        if (!path.equals(PATH)) {
            timeline(request);
        } else if (isWatch) {
            watch(request);
        } else {
            list(request);
        }
        return true;
    }

    private void authorize(ApiRequest request, String verb) {
        if (!request.method().equals(HttpMethod.GET)) {
            throw new StatusException(Status.methodNotAllowed());
        }
        Attributes.Resource wanted = Attributes.resource(verb, GROUP, RESOURCE);
        Authorizer.AuthorizationDecision decision = core.authorizer().decide(request.user(), wanted);
        request.audit().setResource(wanted, "v1");
        request.audit().setDecision(decision);
        if (decision instanceof Authorizer.AuthorizationDecision.Denied denied) {
            throw new StatusException(Status.forbidden(denied.message()));
        }
        if (request.user().nodeName().isPresent()) {
            throw new StatusException(
                    Status.forbidden("history.mooring.dev is forbidden: nodes may read the current state only"));
        }
    }

    private void list(ApiRequest request) {
        QueryParameters query = request.query();
        HistoryFilter filter = HistoryFilter.of(query, core.catalog());
        requireReadable(request.user(), filter);
        HistoryPage.PageRequest wanted = HistoryPage.PageRequest.of(query);
        RequestedRange range = RequestedRange.of(query, core.clock().instant());
        HistoryVisibility visibility = new HistoryVisibility(request.user(), core, Long.MAX_VALUE);
        HistoryEncoder encoder = new HistoryEncoder(
                filter, visibility, core.catalog(), query.text("view").equals("full"));
        HistoryPage page = new HistoryPage(events, filter, encoder, wanted);
        request.audit().markHistoryRead(events.newest());
        respond(request, () -> {
            ObjectNode list = page.read(range.first(events), range.last(events));
            if (filter.object().isPresent() && list.path("items").isEmpty() && !page.hasMore()) {
                requireKnown(filter.object().get(), visibility);
            }
            return list;
        });
    }

    private void watch(ApiRequest request) {
        QueryParameters query = request.query();
        HistoryFilter filter = HistoryFilter.of(query, core.catalog());
        requireReadable(request.user(), filter);
        long newest = events.newest();
        boolean isFull = query.text("view").equals("full");
        RequestedRange range = RequestedRange.of(query, core.clock().instant());
        Callable<Long> start = () -> range.from().isPresent() ? range.first(events) - 1 : newest;
        run(request, start, after -> {
            if (after > events.newest()) {
                throw new StatusException(Status.badRequest("from must be at most " + (newest + 1)
                        + ", one more than the newest revision, got " + (after + 1)));
            }
            request.audit().markHistoryRead(after);
            HistoryVisibility visibility = new HistoryVisibility(request.user(), core, newest);
            watches.startHistory(
                    request,
                    filter.object().map(Scope::object).orElse(Scope.all()),
                    new HistoryEncoder(filter, visibility, core.catalog(), isFull),
                    Math.max(after, events.oldest() - 1),
                    () -> requestAuthenticator.isUnchanged(request));
        });
    }

    private void timeline(ApiRequest request) {
        QueryParameters query = request.query();
        RequestedRange range = RequestedRange.of(query, core.clock().instant());
        int buckets = HistoryTimeline.buckets(query);
        HistoryVisibility visibility = new HistoryVisibility(request.user(), core, Long.MAX_VALUE);
        respond(
                request,
                () -> timeline.read(range.first(events), range.last(events), buckets, request.user(), visibility));
    }

    /** A range of revisions, whose ends may be given as times. */
    private record RequestedRange(Optional<PointInTime> from, Optional<PointInTime> to) {
        static RequestedRange of(QueryParameters query, Instant now) {
            return new RequestedRange(
                    point(query, RevisionParameters.FROM, now), point(query, RevisionParameters.TO, now));
        }

        private static Optional<PointInTime> point(QueryParameters query, String name, Instant now) {
            try {
                return query.text(name).isEmpty()
                        ? Optional.empty()
                        : Optional.of(PointInTime.parse(name, query.text(name), now));
            } catch (IllegalArgumentException e) {
                throw new StatusException(Status.badRequest(e.getMessage()));
            }
        }

        long first(EventHistory events) throws IOException {
            return from.isPresent() ? events.firstNotBefore(from.get()) : 1;
        }

        long last(EventHistory events) throws IOException {
            return to.isPresent() ? events.lastNotAfter(to.get()) : Long.MAX_VALUE;
        }
    }

    /** @throws StatusException 403 if the user may not read the wanted object */
    private void requireReadable(User user, HistoryFilter filter) {
        if (filter.object().isEmpty() || user.isAdmin()) {
            return;
        }
        ObjectKey key = filter.object().get();
        if (key.resource().equals("secrets")) {
            throw new StatusException(Status.forbidden("secrets \"" + key.name() + "\" is forbidden: User \""
                    + user.name() + "\" cannot read the history of Secrets: it is for admins only"));
        }
        if (new HistoryVisibility(user, core, Long.MAX_VALUE).decide(key)
                instanceof Authorizer.AuthorizationDecision.Denied denied) {
            throw new StatusException(Status.forbidden(denied.message()));
        }
    }

    /** @throws StatusException 404 with the nearest name if no visible event ever changed the object */
    private void requireKnown(ObjectKey key, HistoryVisibility visibility) throws IOException {
        HistoryPage any = new HistoryPage(
                events,
                new HistoryFilter(Optional.of(key), "", "", ""),
                new HistoryEncoder(new HistoryFilter(Optional.of(key), "", "", ""), visibility, core.catalog(), false),
                HistoryPage.PageRequest.newest());
        if (!any.read(1, Long.MAX_VALUE).path("items").isEmpty() || any.hasMore()) {
            return;
        }
        World world = core.stateStore().ledger().world();
        Scope scope = key.namespace()
                .map(namespace -> Scope.namespace(key.resource(), namespace))
                .orElse(Scope.resource(key.resource()));
        List<String> names = new ArrayList<>();
        for (StoredObject object : world.list(scope)) {
            if (names.size() < MAX_CANDIDATES && visibility.isVisible(object.key(), world.revision())) {
                names.add(object.key().name());
            }
        }
        throw new StatusException(new Status(
                404,
                "NotFound",
                key.resource() + " \"" + key.name() + "\" not found"
                        + key.namespace()
                                .map(namespace -> " in namespace \"" + namespace + '"')
                                .orElse("")
                        + ", now or in the retained history"
                        + NearestMatch.ignoringCase(key.name(), names)
                                .map(near -> "; did you mean \"" + near + "\"?")
                                .orElse("")));
    }

    /** Reads on another thread and sends the result. */
    private void respond(ApiRequest request, Callable<ObjectNode> reading) {
        ChunkedResponse.StallTracking held = new ChunkedResponse.StallTracking(
                core.slowReaders(), core.slowReaders().readMark());
        run(
                request,
                () -> Json.MAPPER.writeValueAsBytes(reading.call()),
                json -> ChunkedResponse.send(
                        request, ApiRequest.JSON, List.of(json).iterator(), held, Optional.empty()));
    }

    /** Runs work on another thread and continues on the event loop. Limits how much a user has running and waiting. */
    private <T> void run(ApiRequest request, Callable<T> work, Consumer<T> then) {
        SharedLimit limit = core.sharedLimits().historyReads();
        limit.acquire(request.user(), 1).ifPresent(refusal -> {
            throw new StatusException(refusal);
        });
        threads.executeBlocking(work, false).onComplete(done -> {
            limit.release(request.user(), 1);
            try {
                if (done.failed()) {
                    request.fail(ReadHandler.refusal(done.cause()));
                } else {
                    then.accept(done.result());
                }
            } catch (RuntimeException e) {
                request.fail(e);
            }
        });
    }
}
