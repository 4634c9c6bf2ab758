package dev.mooring.api.http;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.User;
import dev.mooring.api.http.HistoryAccess.PastRequest;
import dev.mooring.api.resource.LeaseCache;
import dev.mooring.api.resource.Page;
import dev.mooring.api.resource.ResourceRef;
import dev.mooring.api.resource.ScaleSubresource;
import dev.mooring.model.CompactedException;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Selection;
import dev.mooring.model.StoredObject;
import dev.mooring.world.History;
import dev.mooring.world.HistoryUnavailableException;
import dev.mooring.world.Ledger;
import dev.mooring.world.World;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/** Handles requests that read objects: one or a list, now or at an earlier revision, in the requested format. */
final class ReadHandler {
    /** Maximum number of objects to process on an event loop; more take milliseconds. */
    private static final int MAX_OBJECTS_ON_EVENT_LOOP = 1000;

    /** Retry-After for a past World, which takes at most seconds to build. */
    private static final int PAST_RETRY_SECONDS = 2;

    private final Vertx vertx;
    private final Ledger ledger;
    private final History history;
    private final HistoryAccess access;
    private final LeaseCache leaseCache;
    private final Clock clock;
    private final SlowReaders slowReaders;

    ReadHandler(Vertx vertx, ApiCore core, HistoryAccess access) {
        this.vertx = vertx;
        this.ledger = core.stateStore().ledger();
        this.history = core.stateStore().history();
        this.access = access;
        this.leaseCache = core.leaseCache();
        this.clock = core.clock();
        this.slowReaders = core.slowReaders();
    }

    /** Replaces times and durations in the query by their revisions, which may read from disk, and continues. */
    void resolveTimes(ApiRequest request, Runnable then) {
        Instant now = clock.instant();
        Map<String, Instant> times = RevisionParameters.times(request.query(), now);
        if (times.isEmpty()) {
            then.run();
            return;
        }
        runOnWorker(request, () -> revisions(times, now), revisions -> {
            try {
                request.replaceParameters(revisions);
                request.setMoment(Optional.ofNullable(times.get(RevisionParameters.AT)));
                then.run();
            } catch (RuntimeException e) {
                request.fail(e);
            }
        });
    }

    private Map<String, String> revisions(Map<String, Instant> times, Instant now) throws IOException {
        Map<String, String> revisions = new HashMap<>();
        for (Map.Entry<String, Instant> each : times.entrySet()) {
            try {
                revisions.put(each.getKey(), Long.toString(history.revisionAt(each.getValue(), now)));
            } catch (IllegalArgumentException e) {
                throw new StatusException(Status.badRequest(each.getKey() + ": " + e.getMessage()));
            }
        }
        return revisions;
    }

    void get(ApiRequest request, ResourceRef target) {
        ResponseFormat form = ResponseFormat.of(request, target.bodyKind());
        readWorld(request, target, RevisionParameters.exact(request.query()), shown -> {
            StoredObject object = shown.world()
                    .get(target.key())
                    .map(leaseCache::withLatestRenewal)
                    .map(found -> target.isScale() ? ScaleSubresource.of(found) : found)
                    .orElseThrow(() -> new StatusException(target.notFound()));
            request.respond(200, form.contentType(), Buffer.buffer(form.encodeObject(object, shown.now())));
        });
    }

    void list(ApiRequest request, ResourceRef target) {
        QueryParameters query = request.query();
        ResponseFormat form = ResponseFormat.of(request, target.kind());
        Selection selection = SelectionParser.parse(query, target);
        long limit = query.number("limit").orElse(0);
        Optional<Page.ContinueToken> from = Optional.of(query.text("continue"))
                .filter(text -> !text.isEmpty())
                .map(Page.ContinueToken::parse);
        OptionalLong asked = RevisionParameters.exact(query);
        OptionalLong revision = from.isPresent() ? OptionalLong.of(from.get().revision()) : asked;
        ChunkedResponse.StallTracking held = new ChunkedResponse.StallTracking(slowReaders, slowReaders.readMark());
        readWorld(request, target, revision, shown -> {
            Callable<Iterator<byte[]>> pieces = () -> form.encodeList(
                    page(shown, target, selection, limit, from.map(Page.ContinueToken::last)), shown.now());
            if (isQuick(shown.world(), target, selection, limit, form)) {
                ChunkedResponse.send(request, form.contentType(), pieces.call(), held, Optional.empty());
            } else {
                runOnWorker(
                        request,
                        pieces,
                        ready -> ChunkedResponse.send(
                                request,
                                form.contentType(),
                                ready,
                                held,
                                form.isPlain() ? Optional.empty() : Optional.of(this::runOnWorker)));
            }
        });
    }

    private static boolean isQuick(
            World world, ResourceRef target, Selection selection, long limit, ResponseFormat form) {
        if (selection.isEverything() && (form.isPlain() || (limit > 0 && limit <= MAX_OBJECTS_ON_EVENT_LOOP))) {
            return true;
        }
        return Page.maxObjectsScanned(world, target, selection) <= MAX_OBJECTS_ON_EVENT_LOOP;
    }

    private Page page(
            VisibleWorld shown, ResourceRef target, Selection selection, long limit, Optional<ObjectKey> after) {
        Page page = Page.read(shown.world(), shown.only(), target, selection, limit, after);
        return new Page(leaseCache.withLatestRenewal(page.objects()), page.meta());
    }

    /** A read that may throw. */
    interface WorldReader {
        void readFrom(VisibleWorld shown) throws Exception;
    }

    /**
     * A World and what the user may see of it.
     *
     * @param only visible namespaces; empty for all
     * @param now the moment to which ages refer: that of the World if the user asked for a past moment
     */
    record VisibleWorld(World world, Optional<Set<String>> only, Instant now) {}

    /** Reads from the newest World, or from a past one, which requires disk access. */
    void readWorld(ApiRequest request, ResourceRef target, OptionalLong revision, WorldReader reading) {
        World newest = ledger.world();
        if (revision.isPresent()) {
            long wanted = revision.getAsLong();
            if (wanted > newest.revision()) {
                request.respond(notYet(request.query(), wanted, newest.revision()));
                return;
            }
            HistoryAccess.NamespaceCheck check = access.requireRead(PastRequest.of(request), target, newest, wanted);
            if (wanted != newest.revision()) {
                past(request, target, wanted, check, reading);
                return;
            }
        }
        OptionalLong atLeast = RevisionParameters.atLeast(request.query());
        if (atLeast.isPresent() && atLeast.getAsLong() > newest.revision()) {
            request.respond(Status.revisionTooLarge(atLeast.getAsLong(), newest.revision()));
            return;
        }
        read(
                request,
                reading,
                new VisibleWorld(newest, Optional.empty(), request.moment().orElseGet(clock::instant)));
    }

    /** Reads from a past World, which stays in memory until the request ends. */
    private void past(
            ApiRequest request,
            ResourceRef target,
            long revision,
            HistoryAccess.NamespaceCheck check,
            WorldReader reading) {
        World newest = ledger.world();
        User user = request.user();
        history.open(revision, new History.Reader(user.name(), user.isAdmin()), this::runOnWorker)
                .whenCompleteAsync(
                        (past, failure) -> {
                            if (failure != null) {
                                request.fail(refusal(failure));
                                return;
                            }
                            request.onEnd(past::close);
                            runOnWorker(
                                    request,
                                    () -> visible(request, target, newest, past.world(), check),
                                    shown -> read(request, reading, shown));
                        },
                        request.contextExecutor());
    }

    private VisibleWorld visible(
            ApiRequest request, ResourceRef target, World newest, World past, HistoryAccess.NamespaceCheck check)
            throws IOException {
        Optional<Set<String>> only = check == HistoryAccess.NamespaceCheck.NOT_NEEDED
                ? Optional.empty()
                : HistoryAccess.visibleNamespaces(PastRequest.of(request), target, newest, past);
        Optional<Instant> then = request.moment();
        if (then.isEmpty() && RevisionParameters.isTimeTravel(request.query())) {
            then = history.timeOf(past.revision());
        }
        return new VisibleWorld(past, only, then.orElseGet(clock::instant));
    }

    void runOnWorker(Runnable work) {
        vertx.executeBlocking(Executors.callable(work), false);
    }

    /** Returns the error that a client gets if a past state could not be read. */
    static Throwable refusal(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof CompactedException gone) {
            return new StatusException(
                    Status.expired("The provided resource version is too old: " + gone.getMessage()));
        }
        if (cause instanceof HistoryUnavailableException refused) {
            return new StatusException(pastRefused(refused));
        }
        return cause;
    }

    static Status pastRefused(HistoryUnavailableException refused) {
        return refused.isRetryable()
                ? Status.tooManyRequests(refused.getMessage(), PAST_RETRY_SECONDS)
                : new Status(507, "InsufficientStorage", refused.getMessage());
    }

    /**
     * Returns the error for a revision that does not exist yet. For {@code resourceVersion} the client should retry,
     * because another server may have returned it. A revision that only this server can have returned is invalid, or
     * from another event log.
     */
    private static Status notYet(QueryParameters query, long revision, long newest) {
        if (!query.text("continue").isEmpty()) {
            return Status.expired("The provided continue parameter is of revision " + revision
                    + ", which does not exist here; list again from the beginning");
        }
        if (RevisionParameters.isTimeTravel(query)) {
            return Status.badRequest("revision " + revision + " does not exist yet, the newest is " + newest
                    + "; omit it to read the current state");
        }
        return Status.revisionTooLarge(revision, newest);
    }

    private static void read(ApiRequest request, WorldReader reading, VisibleWorld shown) {
        try {
            reading.readFrom(shown);
        } catch (Exception e) {
            request.fail(e);
        }
    }

    /** Runs slow work on another thread and continues on the event loop. */
    <T> void runOnWorker(ApiRequest request, Callable<T> work, Consumer<T> then) {
        vertx.executeBlocking(work, false).onComplete(done -> {
            if (done.succeeded()) {
                then.accept(done.result());
            } else {
                request.fail(refusal(done.cause()));
            }
        });
    }
}
