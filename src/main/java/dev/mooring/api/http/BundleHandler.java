package dev.mooring.api.http;

import dev.mooring.api.BundleService;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.Attributes;
import dev.mooring.api.auth.Authorizer;
import dev.mooring.model.PointInTime;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.time.Clock;
import java.util.Optional;

/**
 * Handles {@code GET …/debug/bundle?since=}: a file for people who look for the cause of a problem elsewhere. Admins
 * only, because no policy rule names the path. Pieces are made on a worker thread, as fast as the client reads.
 */
final class BundleHandler {
    private static final String PATH = "/apis/mooring.dev/v1/debug/bundle";
    private static final String SINCE = "since";

    private final Authorizer authorizer;
    private final ReadHandler reads;
    private final Optional<BundleService> bundles;
    private final SlowReaders slowReaders;
    private final Clock clock;

    BundleHandler(ApiCore core, ReadHandler reads) {
        this.authorizer = core.authorizer();
        this.reads = reads;
        this.bundles = core.services().bundles();
        this.slowReaders = core.slowReaders();
        this.clock = core.clock();
    }

    /** Handles the request and returns true if it is for a bundle. */
    boolean handle(ApiRequest request) {
        if (bundles.isEmpty() || !request.request().path().equals(PATH)) {
            return false;
        }
        Attributes.Resource wanted =
                Attributes.resource("get", "mooring.dev", "debug").withName("bundle");
        Authorizer.AuthorizationDecision decision = authorizer.decide(request.user(), wanted);
        request.audit().setResource(wanted, "v1");
        request.audit().setDecision(decision);
        if (decision instanceof Authorizer.AuthorizationDecision.Denied denied) {
            throw new StatusException(Status.forbidden(denied.message()));
        }
        if (!request.method().equals(HttpMethod.GET)) {
            throw new StatusException(Status.methodNotAllowed());
        }
        Optional<PointInTime> from = from(request.query());
        reads.runOnWorker(request, () -> bundles.get().open(from), bundle -> send(request, bundle));
        return true;
    }

    private Optional<PointInTime> from(QueryParameters query) {
        String name = query.text(SINCE).isEmpty() ? RevisionParameters.FROM : SINCE;
        try {
            return query.text(name).isEmpty()
                    ? Optional.empty()
                    : Optional.of(PointInTime.parse(name, query.text(name), clock.instant()));
        } catch (IllegalArgumentException e) {
            throw new StatusException(Status.badRequest(e.getMessage()));
        }
    }

    private void send(ApiRequest request, BundleService.OpenBundle bundle) {
        request.onEnd(() -> reads.runOnWorker(bundle::close));
        request.audit().markHistoryRead(bundle.from());
        request.response()
                .putHeader(HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"" + bundle.fileName() + '"');
        ChunkedResponse.send(
                request,
                "application/zip",
                bundle,
                new ChunkedResponse.StallTracking(slowReaders, slowReaders.readMark()),
                Optional.of(reads::runOnWorker));
    }
}
