package dev.mooring.chaos.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.chaos.fuzz.FuzzRequest.SendMode;
import dev.mooring.log.Batch;
import dev.mooring.log.EventReader;
import dev.mooring.log.LogPosition;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import dev.mooring.testing.ConditionPoller;
import dev.mooring.world.World;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Random requests of tenants of two namespaces and of two nodes to a real server, with the invariant that no identity
 * reads, changes or delays anything that its role does not allow (I11). Every written object contains a text that
 * identifies its tenant, so a text of another or a former tenant in any response, error or stream is a violation. Every
 * event of the log is checked against the identity that caused it. For one thread.
 */
final class TenantRun implements AutoCloseable {
    private static final List<String> NAMESPACES = List.of("red", "blue");
    private static final List<String> NODES = List.of("n1", "n2");
    private static final List<String> NAMES = List.of("a", "b", "c");
    private static final List<String> KINDS = List.of("configmaps", "secrets", "pods", "persistentvolumeclaims");
    private static final int MAX_WATCHES = 24;
    private static final int STREAMS_HELD = 40;

    private static final Map<String, String> FLAGS = Map.of(
            "without", "node,pods",
            "node", "n1",
            "api.plainListen", "127.0.0.1:0",
            "api.requestsPerSecond", "1000000",
            "api.requestBurst", "1000000",
            "api.watchTick", "1s",
            "api.maxWatches", Integer.toString(MAX_WATCHES),
            "watch.bufferEvents", "64");

    private enum Identity {
        ADMIN("", ""),
        EDIT_RED("edit", "red"),
        EDIT_BLUE("edit", "blue"),
        VIEW_BLUE("view", "blue"),
        NODE_1("node", "n1"),
        NODE_2("node", "n2");

        private final String role;

        /** The namespace of a user, or the name of a node. */
        private final String where;

        Identity(String role, String where) {
            this.role = role;
            this.where = where;
        }

        private String user() {
            return role.equals("node") ? where : role + "-" + where;
        }

        /** Returns the actor in the log. */
        private String actor() {
            return role.equals("node") ? "system:node:" + where : user();
        }

        private boolean isOf(String namespace) {
            return !role.equals("node") && where.equals(namespace);
        }
    }

    private static final List<Identity> TENANTS =
            List.of(Identity.EDIT_RED, Identity.EDIT_BLUE, Identity.VIEW_BLUE, Identity.NODE_1, Identity.NODE_2);

    /** A text and the object to which it belongs. */
    private record OwnedText(String namespace, int tenancy, String kind, String name, String text) {}

    private final FuzzRandom dice;
    private final Server server;
    private final FuzzConnection connection;
    private final Map<Identity, String> tokens = new HashMap<>();
    private final Map<String, Integer> tenancy = new HashMap<>(Map.of("red", 1, "blue", 1));
    private final List<OwnedText> marks = new ArrayList<>();

    /** The newest text of each Secret, by namespace/name. */
    private final Map<String, String> secrets = new HashMap<>();

    private final List<String> continued = new ArrayList<>();
    private final EventReader log;
    private long number;
    private Optional<String> finding = Optional.empty();
    private String last = "";

    private TenantRun(long seed, Server server, String adminToken) throws IOException {
        this.dice = FuzzRandom.of(seed, 0);
        this.server = server;
        int port = URI.create(server.plainUrl().orElseThrow()).getPort();
        this.connection = new FuzzConnection(port);
        this.log = server.stateStore().log().readAfter(LogPosition.BEGINNING);
        tokens.put(Identity.ADMIN, adminToken);
    }

    static TenantRun start(long seed, Path data) throws IOException {
        Server server = ServerFixture.start(data, FLAGS);
        Matcher token = Pattern.compile("token: \"(.*)\"").matcher(Files.readString(server.kubeconfig()));
        if (!token.find()) {
            throw new IllegalStateException("The kubeconfig has no token");
        }
        TenantRun run = new TenantRun(seed, server, token.group(1));
        run.prepare();
        return run;
    }

    private void prepare() throws IOException {
        for (String namespace : NAMESPACES) {
            requireSuccess("POST", "/api/v1/namespaces", TenantManifests.object("v1", "Namespace", namespace, ""));
        }
        for (Identity each : TENANTS) {
            String text = "mrg_" + each.user() + "_" + "s".repeat(43);
            tokens.put(each, text);
            String scope = each.role.equals("node") ? "" : ",'namespaces':['" + each.where + "']";
            requireSuccess(
                    "POST",
                    "/apis/mooring.dev/v1/tokens",
                    TenantManifests.object(
                            "mooring.dev/v1",
                            "Token",
                            each.user(),
                            ",'spec':{'sha256':'" + FuzzServer.hash(text) + "','role':'" + each.role + "'" + scope
                                    + "}"));
        }
        requireSuccess("POST", "/api/v1/nodes", TenantManifests.object("v1", "Node", "n2", ""));
        for (String namespace : NAMESPACES) {
            pods(namespace);
        }
        checkEvents(server.stateStore().ledger().world());
    }

    /** Creates a Pod per node that refers to a Secret and a ConfigMap: "a" on n1, "b" on n2; nothing refers to "c". */
    private void pods(String namespace) throws IOException {
        for (int i = 0; i < NODES.size(); i++) {
            String spec = ",'spec':{'nodeName':'" + NODES.get(i) + "','containers':[{'name':'c','image':'busybox'}],"
                    + "'volumes':[{'name':'s','secret':{'secretName':'" + NAMES.get(i) + "'}},"
                    + "{'name':'m','configMap':{'name':'" + NAMES.get(i) + "'}}]}";
            requireSuccess(
                    "POST",
                    TenantManifests.path(namespace, "pods", ""),
                    TenantManifests.object("v1", "Pod", "on-" + NODES.get(i), spec));
        }
    }

    /** Sends random requests until the first violation, and returns it. */
    Optional<String> run(int requests) throws Exception {
        for (int i = 0; i < requests && finding.isEmpty(); i++) {
            World before = server.stateStore().ledger().world();
            step();
            checkEvents(before);
        }
        return finding;
    }

    private void step() throws Exception {
        int choice = dice.below(100);
        if (choice < 1) {
            newTenant(dice.pick(NAMESPACES));
        } else if (choice < 4) {
            exhaust(dice.pick(List.of(Identity.EDIT_RED, Identity.EDIT_BLUE)));
        } else if (choice < 45) {
            write(dice.pick(TENANTS));
        } else {
            read(dice.pick(TENANTS));
        }
    }

    // ---- steps -----------------------------------------------------------------------------------------------------

    /** Deletes a namespace and creates a new one of the same name for the next tenant. */
    private void newTenant(String namespace) throws Exception {
        // Force deletion, because no agent runs that would end the Pods.
        send(Identity.ADMIN, "DELETE", TenantManifests.path(namespace, "pods", "") + "?gracePeriodSeconds=0", "");
        send(Identity.ADMIN, "DELETE", "/api/v1/namespaces/" + namespace, "");
        ConditionPoller.until(() -> server.stateStore()
                .ledger()
                .world()
                .get(ObjectKey.clusterWide("namespaces", namespace))
                .isEmpty());
        tenancy.merge(namespace, 1, Integer::sum);
        secrets.keySet().removeIf(key -> key.startsWith(namespace + "/"));
        requireSuccess("POST", "/api/v1/namespaces", TenantManifests.object("v1", "Namespace", namespace, ""));
        pods(namespace);
    }

    /** Opens as many watches of a tenant as the server allows; the requests of others must still be served. */
    private void exhaust(Identity greedy) throws IOException {
        List<FuzzConnection> held = new ArrayList<>();
        try {
            String watch = TenantManifests.path(greedy.where, "configmaps", "") + "?watch=1&timeoutSeconds=60";
            for (int i = 0; i < STREAMS_HELD; i++) {
                FuzzConnection each = new FuzzConnection(port());
                held.add(each);
                each.open(call(greedy, "GET", watch, "", SendMode.STREAM), token(greedy));
            }
            for (Identity other : List.of(Identity.ADMIN, Identity.EDIT_RED, Identity.EDIT_BLUE)) {
                if (other != greedy) {
                    String own = TenantManifests.path(other == Identity.ADMIN ? "red" : other.where, "configmaps", "");
                    requireServed(other, send(other, "GET", own, ""));
                    requireServed(other, stream(other, own + "?watch=1&timeoutSeconds=60"));
                }
            }
        } finally {
            for (FuzzConnection each : held) {
                each.close();
            }
        }
    }

    private void requireServed(Identity identity, FuzzReply reply) {
        if (reply.code() != 200) {
            violation(identity + " was delayed by another tenant: " + reply);
        }
    }

    private void write(Identity identity) throws IOException {
        String namespace = dice.percent(70) && !identity.role.equals("node") ? identity.where : dice.pick(NAMESPACES);
        String kind = dice.oneIn(3) ? "secrets" : dice.pick(KINDS);
        String name = dice.pick(NAMES);
        switch (dice.below(7)) {
            case 0, 1, 2 -> {
                OwnedText mark = mark(namespace, kind, name);
                FuzzReply reply = send(
                        identity,
                        "POST",
                        TenantManifests.path(namespace, kind, ""),
                        TenantManifests.body(kind, name, mark.text()));
                recordWrite(mark, reply);
            }
            case 3 -> {
                OwnedText mark = mark(namespace, kind, name);
                String merge = kind.equals("secrets")
                        ? "{'data':{'k':'" + TenantManifests.base64(mark.text()) + "'}}"
                        : "{'metadata':{'annotations':{'k':'" + mark.text() + "'}}}";
                recordWrite(mark, send(identity, "PATCH", TenantManifests.path(namespace, kind, name), merge));
            }
            case 4 -> {
                FuzzReply reply = send(identity, "DELETE", TenantManifests.path(namespace, kind, name), "");
                if (kind.equals("secrets") && reply.code() == 200) {
                    secrets.remove(namespace + "/" + name);
                }
            }
            case 5 ->
                send(
                        identity,
                        "PATCH",
                        dice.pick(
                                TenantManifests.path(namespace, "pods", "on-" + dice.pick(NODES)) + "/status",
                                TenantManifests.path(namespace, "persistentvolumeclaims", name) + "/status",
                                "/api/v1/nodes/" + dice.pick(NODES) + "/status",
                                "/api/v1/nodes/" + dice.pick(NODES),
                                "/api/v1/namespaces/" + namespace,
                                TenantManifests.path(namespace, "pods", "on-" + dice.pick(NODES))),
                        "{'metadata':{'annotations':{'by':'" + identity.user() + "'}},'status':{'message':'by "
                                + identity.user() + "'}}");
            default -> {
                String node = dice.pick(NODES);
                String event = ",'involvedObject':{'kind':'Pod','namespace':'" + namespace + "','name':'on-" + node
                        + "'},'reason':'Forged','message':'by " + identity.user()
                        + "','source':{'component':'kubelet','host':'"
                        + node + "'},'reportingInstance':'" + node + "','type':'Warning'";
                send(
                        identity,
                        "POST",
                        TenantManifests.path(namespace, "events", ""),
                        TenantManifests.object("v1", "Event", "e" + dice.below(1000), event));
            }
        }
    }

    private void read(Identity identity) throws IOException {
        String namespace = dice.pick(NAMESPACES);
        String kind = dice.pick(
                "configmaps", "secrets", "secrets", "pods", "persistentvolumeclaims", "events", "serviceaccounts");
        long newest = server.stateStore().ledger().world().revision();
        long past = dice.percent(50)
                ? Math.max(1, newest - dice.below(20))
                : 1 + Long.remainderUnsigned(dice.bits(), newest);
        String collection = dice.percent(15) ? "/api/v1/" + kind : TenantManifests.path(namespace, kind, "");
        String target = dice.oneIn(3) ? TenantManifests.path(namespace, kind, dice.pick(NAMES)) : collection;
        String query = dice.pick(
                "",
                "at=" + past,
                "at=" + past,
                "resourceVersion=" + past + "&resourceVersionMatch=Exact",
                "resourceVersion=" + past + "&resourceVersionMatch=Exact&limit=1",
                "limit=1",
                "fieldSelector=metadata.name%3D" + dice.pick(NAMES),
                "continue=" + (continued.isEmpty() ? "x" : dice.pick(continued)));
        if (dice.oneIn(3)) {
            stream(
                    identity,
                    collection + "?watch=1&timeoutSeconds=60&resourceVersion="
                            + dice.pick("", "0", "1", Long.toString(past)));
            return;
        }
        FuzzReply reply = send(identity, "GET", target + (query.isEmpty() ? "" : "?" + query), "");
        String more = Oracle.tree(reply.body()).at("/metadata/continue").asText("");
        if (!more.isEmpty()) {
            continued.add(more);
        }
    }

    // ---- requests --------------------------------------------------------------------------------------------------

    private FuzzReply send(Identity identity, String method, String target, String body) throws IOException {
        FuzzReply reply = connection
                .send(call(identity, method, target, body, SendMode.ANSWER), token(identity))
                .orElseThrow();
        return checkReply(identity, target, reply);
    }

    /** Returns what a stream sends within a short time. */
    private FuzzReply stream(Identity identity, String target) throws IOException {
        try (FuzzConnection own = new FuzzConnection(port())) {
            FuzzReply reply = own.send(call(identity, "GET", target, "", SendMode.STREAM), token(identity))
                    .orElseThrow();
            return checkReply(identity, target, reply);
        }
    }

    private void requireSuccess(String method, String target, String body) throws IOException {
        FuzzReply reply = send(Identity.ADMIN, method, target, body);
        if (reply.code() / 100 != 2) {
            throw new IllegalStateException("Cannot prepare the server: " + reply);
        }
    }

    private FuzzRequest call(Identity identity, String method, String target, String body, SendMode mode) {
        byte[] bytes = body.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        String type = method.equals("PATCH") ? "application/merge-patch+json" : "application/json";
        String accept = method.equals("GET") && mode == SendMode.ANSWER
                ? dice.pick(
                        "application/json",
                        "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
                        "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json",
                        "application/yaml")
                : "application/json";
        last = identity + " " + method + " " + target + " (" + accept + ") " + body;
        return new FuzzRequest(
                number++,
                FuzzRequest.Sender.ANONYMOUS,
                method + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: " + accept + "\r\nContent-Type: "
                        + type + "\r\nContent-Length: " + bytes.length,
                bytes,
                mode);
    }

    private Optional<String> token(Identity identity) {
        return Optional.of(tokens.get(identity));
    }

    private int port() {
        return URI.create(server.plainUrl().orElseThrow()).getPort();
    }

    // ---- the invariant ---------------------------------------------------------------------------------------------

    /** Returns a text that no other object has. */
    private OwnedText mark(String namespace, String kind, String name) {
        int of = tenancy.get(namespace);
        return new OwnedText(
                namespace,
                of,
                kind,
                name,
                "mark-" + namespace + "-" + of + "-" + kind + "-" + name + "-" + number + "-");
    }

    private void recordWrite(OwnedText mark, FuzzReply reply) {
        if (reply.code() / 100 != 2) {
            return;
        }
        marks.add(mark);
        if (mark.kind().equals("secrets")) {
            secrets.put(mark.namespace() + "/" + mark.name(), mark.text());
        }
    }

    private FuzzReply checkReply(Identity identity, String target, FuzzReply reply) {
        if (identity == Identity.ADMIN) {
            return reply;
        }
        if (reply.code() >= 500 && reply.code() != 504) {
            violation(identity + " got " + reply);
        }
        String text = reply.text();
        for (OwnedText mark : marks) {
            if ((text.contains(mark.text()) || text.contains(TenantManifests.base64(mark.text())))
                    && !maySee(identity, target, mark)) {
                violation(identity + " read " + mark + " by " + target + ": " + reply.code());
            }
        }
        return reply;
    }

    private boolean maySee(Identity identity, String target, OwnedText mark) {
        boolean current = mark.tenancy() == tenancy.get(mark.namespace());
        boolean secret = mark.kind().equals("secrets");
        if (identity.role.equals("node")) {
            String referred = NAMES.get(NODES.indexOf(identity.where));
            boolean related = Set.of("secrets", "configmaps").contains(mark.kind())
                    && mark.name().equals(referred);
            return current && related && (!secret || isCurrent(mark));
        }
        if (!current || !identity.isOf(mark.namespace())) {
            return false;
        }
        if (!secret) {
            return true;
        }
        // A list or a watch may begin at a recent revision; see HistoryAccess.
        boolean history = target.contains("?at=");
        return identity.role.equals("edit") && (!history || isCurrent(mark));
    }

    private boolean isCurrent(OwnedText secret) {
        return secret.text().equals(secrets.get(secret.namespace() + "/" + secret.name()));
    }

    /** Checks that every change is allowed to the identity that caused it. */
    private void checkEvents(World before) throws IOException {
        for (Optional<Batch> batch = log.next(); batch.isPresent(); batch = log.next()) {
            for (Event event : batch.get().events()) {
                for (Identity tenant : TENANTS) {
                    if (event.actor().equals(tenant.actor())) {
                        event.changes().forEach(change -> checkChange(tenant, event, change, before));
                    }
                }
            }
        }
    }

    private void checkChange(Identity by, Event event, Change change, World before) {
        ObjectKey key = change.key();
        String namespace = key.namespace().orElse("");
        boolean allowed = switch (by.role) {
            case "edit" -> namespace.equals(by.where) && KINDS.contains(key.resource());
            case "node" ->
                switch (key.resource()) {
                    case "nodes" -> key.name().equals(by.where);
                    case "pods" ->
                        field(before.get(key), "/spec/nodeName").equals(by.where)
                                && field(Optional.of(change.object()), "/spec").equals(field(before.get(key), "/spec"));
                    case "events" ->
                        field(Optional.of(change.object()), "/source/host").equals(by.where);
                    default -> false;
                };
            default -> false;
        };
        if (!allowed) {
            violation(by + " changed " + key + " by " + event.type());
        }
    }

    private static String field(Optional<StoredObject> object, String pointer) {
        JsonNode value =
                object.map(each -> Oracle.tree(each.json()).at(pointer)).orElse(Oracle.tree(new byte[0]));
        return value.isTextual() ? value.asText() : value.toString();
    }

    private void violation(String what) {
        finding = finding.or(() -> Optional.of("I11: " + what + "\n  after request " + number + ": " + last));
    }

    /** Returns the number of written texts: a run that writes nothing proves nothing. */
    int marks() {
        return marks.size();
    }

    @Override
    public void close() throws IOException {
        log.close();
        connection.close();
        server.close();
    }
}
