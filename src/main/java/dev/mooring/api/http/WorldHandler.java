package dev.mooring.api.http;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.Attributes;
import dev.mooring.api.auth.Authorizer;
import dev.mooring.api.http.ReadHandler.VisibleWorld;
import dev.mooring.api.resource.Catalog;
import dev.mooring.api.resource.LeaseCache;
import dev.mooring.api.resource.ResourceRef;
import dev.mooring.api.table.ListChunks;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.model.NearestMatch;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.History;
import dev.mooring.world.World;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Serves whole Worlds: {@code GET …/world} returns all objects of several resources at one revision, {@code GET …/diff}
 * the differences of two revisions. Both return what the user may list: a resource that the user may not list is
 * omitted, and of the others the objects in namespaces that the user may read. Past revisions are read and authorized
 * by {@link ReadHandler#readWorld}. Confined to one event loop.
 */
final class WorldHandler {
    private static final String GROUP = "mooring.dev";
    private static final String ROOT = "/apis/" + GROUP + "/v1/";
    private static final String NAMESPACES = "namespaces";

    /** Resources that are never returned, because their content is confidential. */
    private static final Set<String> CONFIDENTIAL = Set.of("secrets", "configmaps", "tokens.mooring.dev");

    private static final List<String> DEFAULT_RESOURCES = List.of(
            "storageclasses",
            "persistentvolumes",
            "persistentvolumeclaims",
            "pods",
            "nodes",
            NAMESPACES,
            "desiredvolumes",
            "actualvolumes",
            "volumeoperations",
            "volumeattachments");

    private final Catalog catalog;
    private final Authorizer authorizer;
    private final ReadHandler reads;
    private final History history;
    private final LeaseCache leaseCache;
    private final SlowReaders slowReaders;
    private final ResourceRef allNamespaces;

    WorldHandler(ApiCore core, ReadHandler reads) {
        this.catalog = core.catalog();
        this.authorizer = core.authorizer();
        this.reads = reads;
        this.history = core.stateStore().history();
        this.leaseCache = core.leaseCache();
        this.slowReaders = core.slowReaders();
        this.allNamespaces = new ResourceRef(catalog.named(NAMESPACES), Optional.empty(), Optional.empty(), "");
    }

    /** Handles the request and returns true if it reads a World or the differences of two. */
    boolean handle(ApiRequest request) {
        switch (request.request().path()) {
            case ROOT + "world" -> reads.resolveTimes(request, () -> world(request));
            case ROOT + "diff" -> reads.resolveTimes(request, () -> diff(request));
            default -> {
                return false;
            }
        }
        return true;
    }

    private void world(ApiRequest request) {
        List<ReadableObjects> readable = authorize(request, "world");
        OptionalLong at = RevisionParameters.exact(request.query());
        ChunkedResponse.StallTracking held = hold();
        read(request, at, shown -> send(request, held, () -> encode(shown.world(), objects(shown, readable))));
    }

    private void diff(ApiRequest request) {
        List<ReadableObjects> all = authorize(request, "diff");
        String namespace = request.query().text("namespace");
        List<ReadableObjects> namespaces = namespace.isEmpty()
                ? List.of()
                : ReadableObjects.of(authorizer, request.user(), List.of(allNamespaces.kind()));
        DiffRequest wanted = new DiffRequest(
                namespace.isEmpty()
                        ? all
                        : all.stream().map(each -> each.in(namespace)).toList(),
                namespaces,
                namespace,
                request.query().text("view").equals("full"));
        OptionalLong from = request.query().number(RevisionParameters.FROM);
        OptionalLong to = request.query().number(RevisionParameters.TO);
        if (from.isEmpty()) {
            throw new StatusException(Status.badRequest("from: Required value: the revision to compare with"));
        }
        ChunkedResponse.StallTracking held = hold();
        read(
                request,
                from,
                before -> read(request, to, after -> send(request, held, () -> encode(before, after, wanted))));
    }

    /**
     * A request for differences.
     *
     * @param namespaces the Namespaces that the user may read, if only one is wanted
     * @param namespace "" for all
     * @param isFull whether to add both states of the objects
     */
    private record DiffRequest(
            List<ReadableObjects> readable, List<ReadableObjects> namespaces, String namespace, boolean isFull) {

        /** @throws StatusException 404 with the nearest readable name if the namespace exists in neither World */
        void requireNamespace(VisibleWorld from, VisibleWorld to) {
            Set<String> known = new TreeSet<>();
            objects(from, namespaces).forEach(found -> known.add(found.key().name()));
            objects(to, namespaces).forEach(found -> known.add(found.key().name()));
            if (!known.contains(namespace)) {
                throw new StatusException(new Status(
                        404,
                        "NotFound",
                        "namespaces \"" + namespace + "\" not found at these revisions"
                                + NearestMatch.ignoringCase(namespace, known)
                                        .map(near -> "; did you mean \"" + near + "\"?")
                                        .orElse("")));
            }
        }
    }

    /** Returns what the user may read of the requested resources. */
    private List<ReadableObjects> authorize(ApiRequest request, String resource) {
        if (!request.method().equals(HttpMethod.GET)) {
            throw new StatusException(Status.methodNotAllowed());
        }
        request.audit().setResource(Attributes.resource("list", GROUP, resource), "v1");
        return ReadableObjects.of(authorizer, request.user(), resources(request.query()));
    }

    private Collection<KindDefinition> resources(QueryParameters query) {
        String given = query.text("resources");
        Set<KindDefinition> kinds = new LinkedHashSet<>();
        for (String name : given.isEmpty() ? DEFAULT_RESOURCES : List.of(given.split(",", -1))) {
            KindDefinition kind = catalog.named(name);
            if (CONFIDENTIAL.contains(kind.resource())) {
                throw new StatusException(Status.forbidden(
                        "resources: " + kind.resource() + " are never part of a World; read them with their own path"));
            }
            kinds.add(kind);
        }
        return kinds;
    }

    private ChunkedResponse.StallTracking hold() {
        return new ChunkedResponse.StallTracking(slowReaders, slowReaders.readMark());
    }

    private void read(ApiRequest request, OptionalLong revision, ReadHandler.WorldReader reading) {
        ResourceHandler.refuseHistoryToNodes(request.user(), "list", allNamespaces, () -> revision);
        reads.readWorld(request, allNamespaces, revision, reading);
    }

    private void send(ApiRequest request, ChunkedResponse.StallTracking held, Callable<Iterator<byte[]>> encoding) {
        reads.runOnWorker(
                request,
                encoding,
                pieces ->
                        ChunkedResponse.send(request, ApiRequest.JSON, pieces, held, Optional.of(reads::runOnWorker)));
    }

    private static List<StoredObject> objects(VisibleWorld shown, List<ReadableObjects> readable) {
        List<StoredObject> objects = new ArrayList<>();
        for (ReadableObjects each : readable) {
            for (Scope scope : each.scopes(each.namespaces(shown.only()))) {
                shown.world().list(scope).forEach(objects::add);
            }
        }
        return objects;
    }

    private Iterator<byte[]> encode(World world, List<StoredObject> objects) throws IOException {
        return new ListChunks(
                start("World") + moment(world) + ",\"items\":[",
                objects.stream()
                        .map(leaseCache::withLatestRenewal)
                        .map(StoredObject::jsonWithoutManagedFields)
                        .iterator(),
                UnaryOperator.identity(),
                ",",
                "]}\n");
    }

    private Iterator<byte[]> encode(VisibleWorld from, VisibleWorld to, DiffRequest wanted) throws IOException {
        Predicate<StoredObject> selected = object -> true;
        if (!wanted.namespace().isEmpty()) {
            wanted.requireNamespace(from, to);
            selected = object -> WorldDiff.concerns(wanted.namespace(), object);
        }
        return new ListChunks(
                start("WorldDiff") + "\"from\":{" + moment(from.world()) + "},\"to\":{" + moment(to.world())
                        + "},\"items\":[",
                WorldDiff.of(from, to, wanted.readable(), selected).stream()
                        .map(item -> item.encode(wanted.isFull()))
                        .flatMap(Optional::stream)
                        .iterator(),
                UnaryOperator.identity(),
                ",",
                "]}\n");
    }

    private static String start(String kind) {
        return "{\"kind\":\"" + kind + "\",\"apiVersion\":\"" + GROUP + "/v1\",";
    }

    private String moment(World world) throws IOException {
        return "\"revision\":" + world.revision()
                + history.timeOf(world.revision())
                        .map(time -> ",\"time\":\"" + time + '"')
                        .orElse("");
    }
}
