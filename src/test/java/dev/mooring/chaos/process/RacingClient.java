package dev.mooring.chaos.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.chaos.process.RecordedCall.CallAnswer;
import dev.mooring.chaos.process.RecordedCall.CallVerb;
import dev.mooring.chaos.process.ServerApi.ApiReply;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/** Client that reads and writes shared objects, one request at a time, and records the responses. One thread. */
final class RacingClient implements Runnable {
    private final String name;
    private final boolean secured;
    private final CurrentServer currentServer;
    private final ClientHistory history;
    private final List<ContendedObject> subjects;
    private final Random random;

    /** Last known state of the objects; may be stale. */
    private final Map<String, ObjectNode> known = new HashMap<>();

    private int counter;

    /** A request to be sent. */
    private interface Sending {
        ApiReply send(ServerApi api) throws IOException;
    }

    private record RequestSpec(CallVerb verb, ContendedObject subject, long ifRevision, String ifUid, String value) {}

    RacingClient(
            String name,
            boolean secured,
            CurrentServer currentServer,
            ClientHistory history,
            List<ContendedObject> subjects,
            Random random) {
        this.name = name;
        this.secured = secured;
        this.currentServer = currentServer;
        this.history = history;
        this.subjects = subjects;
        this.random = random;
    }

    @Override
    public void run() {
        try {
            for (Optional<ServerApi> server = currentServer.await();
                    server.isPresent();
                    server = currentServer.await()) {
                ServerApi current = server.get();
                ServerApi api = secured ? current.secured() : current;
                while (currentServer.isCurrent(current) && !currentServer.isEnded() && step(api)) {
                    // continues while it gets responses
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            history.problem(name + " failed: " + e);
        }
    }

    /** Sends one request; returns whether it got a response. */
    private boolean step(ServerApi api) {
        ContendedObject subject = subjects.get(random.nextInt(subjects.size()));
        String value = name + "-" + counter++;
        Optional<ObjectNode> last = Optional.ofNullable(known.get(subject.key()));
        int percentile = random.nextInt(100);
        if (percentile < 8) {
            return list(api, subject);
        }
        if (percentile < 25 || (last.isEmpty() && percentile < 60)) {
            return call(api, new RequestSpec(CallVerb.GET, subject, 0, "", ""), server -> server.get(subject.path()));
        }
        if (percentile < 40 || last.isEmpty()) {
            return call(
                    api,
                    new RequestSpec(CallVerb.CREATE, subject, 0, "", value),
                    server -> server.post(subject.collection(), subject.manifest(value)));
        }
        if (percentile < 55) {
            return patch(api, subject, value, 0);
        }
        if (percentile < 65) {
            return patch(api, subject, value, HistoryObjectReader.revision(last.get()));
        }
        if (percentile < 80) {
            return replace(api, subject, value, last.get());
        }
        if (percentile < 88 && subject.isMap()) {
            return call(
                    api,
                    new RequestSpec(CallVerb.UPDATE, subject, 0, "", value),
                    server -> server.put(subject.path(), subject.manifest(value)));
        }
        return delete(api, subject, last.get(), percentile < 97);
    }

    private boolean patch(ServerApi api, ContendedObject subject, String value, long revision) {
        return call(
                api,
                new RequestSpec(CallVerb.UPDATE, subject, revision, "", value),
                server -> server.merge(subject.path(), subject.patch(value, revision)));
    }

    private boolean replace(ServerApi api, ContendedObject subject, String value, ObjectNode last) {
        ObjectNode next = last.deepCopy();
        if (subject.isMap()) {
            next.withObject("/data").put("v", value);
        } else {
            next.withObject("/metadata").withObject("/labels").put("v", value);
        }
        return call(
                api,
                new RequestSpec(CallVerb.UPDATE, subject, HistoryObjectReader.revision(last), "", value),
                server -> server.put(subject.path(), next.toString()));
    }

    private boolean delete(ServerApi api, ContendedObject subject, ObjectNode last, boolean sameOnly) {
        String uid = sameOnly ? HistoryObjectReader.uid(last) : "";
        String options = "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\""
                + (sameOnly ? ",\"preconditions\":{\"uid\":\"" + uid + "\"}}" : "}");
        return call(
                api,
                new RequestSpec(CallVerb.DELETE, subject, 0, uid, ""),
                server -> server.delete(subject.path(), options));
    }

    private boolean call(ServerApi api, RequestSpec request, Sending sending) {
        long invoked = System.nanoTime();
        Optional<ApiReply> reply = send(api, sending);
        Optional<CallAnswer> answer =
                reply.isEmpty() ? Optional.of(new RecordedCall.Unknown()) : parseAnswer(request, reply.get());
        long ended = System.nanoTime();
        answer.ifPresentOrElse(
                known -> history.add(new RecordedCall(
                        request.verb(),
                        request.subject().key(),
                        request.ifRevision(),
                        request.ifUid(),
                        request.value(),
                        invoked,
                        ended,
                        known)),
                () -> history.problem("Unexpected response to " + request + ": " + reply.map(ApiReply::code) + " "
                        + reply.map(ApiReply::text)));
        return reply.isPresent();
    }

    private Optional<ApiReply> send(ServerApi api, Sending sending) {
        try {
            return Optional.of(sending.send(api));
        } catch (IOException e) {
            if (currentServer.isCurrent(api)) {
                history.problem(name + " lost its connection while the server was running: " + e);
            }
            return Optional.empty();
        }
    }

    private Optional<CallAnswer> parseAnswer(RequestSpec request, ApiReply reply) {
        ContendedObject subject = request.subject();
        if (reply.code() == 404) {
            known.remove(subject.key());
            return Optional.of(new RecordedCall.Absent());
        }
        if (reply.code() == 409) {
            known.remove(subject.key());
            boolean exists = reply.reason().equals("AlreadyExists");
            if (exists != (request.verb() == CallVerb.CREATE)
                    || (request.ifRevision() == 0 && request.ifUid().isEmpty() && !exists)) {
                return Optional.empty();
            }
            return Optional.of(exists ? new RecordedCall.Exists() : new RecordedCall.Conflict());
        }
        if (reply.code() != (request.verb() == CallVerb.CREATE ? 201 : 200)
                || !(reply.body() instanceof ObjectNode object)) {
            return Optional.empty();
        }
        if (request.verb() == CallVerb.DELETE && object.path("kind").asText().equals("Status")) {
            known.remove(subject.key());
            return Optional.of(
                    new RecordedCall.Removed(object.at("/details/uid").asText()));
        }
        known.put(subject.key(), object);
        RecordedCall.SeenObject seen = HistoryObjectReader.seen(object);
        return Optional.of(
                request.value().isEmpty() ? new RecordedCall.ReadObject(seen) : new RecordedCall.Written(seen));
    }

    private boolean list(ServerApi api, ContendedObject subject) {
        long invoked = System.nanoTime();
        Optional<ApiReply> reply = send(api, server -> server.get(subject.collection()));
        reply.ifPresent(answer -> {
            if (answer.code() == 200) {
                history.add(listing(subject.resource(), invoked, answer.body()));
            } else {
                history.problem("Failed to list: " + answer.text());
            }
        });
        return reply.isPresent();
    }

    static ListResult listing(String resource, long invoked, JsonNode list) {
        Map<String, RecordedCall.SeenObject> objects = new TreeMap<>();
        list.path("items")
                .forEach(item -> objects.put(HistoryObjectReader.key(resource, item), HistoryObjectReader.seen(item)));
        objects.keySet().removeIf(HistoryObjectReader::isPublished);
        return new ListResult(resource, invoked, System.nanoTime(), HistoryObjectReader.revision(list), objects);
    }
}
