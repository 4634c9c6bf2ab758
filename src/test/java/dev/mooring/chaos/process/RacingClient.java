package dev.mooring.chaos.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.chaos.process.Api.Reply;
import dev.mooring.chaos.process.Call.Answer;
import dev.mooring.chaos.process.Call.Verb;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/** Reads and writes objects that others read and write as well, one request at a time, and writes down what it is told. One thread. */
final class RacingClient implements Runnable {
    private final String name;
    private final boolean secured;
    private final Lives lives;
    private final Diary diary;
    private final List<Subject> subjects;
    private final Random chance;

    /** What it knows of the objects; may be old. */
    private final Map<String, ObjectNode> known = new HashMap<>();

    private int counter;

    /** A request to be sent, and how its answer is understood. */
    private interface Sending {
        Reply send(Api api) throws IOException;
    }

    private record Asked(Verb verb, Subject subject, long ifRevision, String ifUid, String value) {}

    RacingClient(String name, boolean secured, Lives lives, Diary diary, List<Subject> subjects, Random chance) {
        this.name = name;
        this.secured = secured;
        this.lives = lives;
        this.diary = diary;
        this.subjects = subjects;
        this.chance = chance;
    }

    @Override
    public void run() {
        try {
            for (Optional<Api> server = lives.await(); server.isPresent(); server = lives.await()) {
                Api life = server.get();
                Api api = secured ? life.secured() : life;
                while (lives.lives(life) && !lives.isOver() && step(api)) {
                    // goes on while it is answered
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            diary.problem(name + " failed: " + e);
        }
    }

    /** One request; whether it was answered. */
    private boolean step(Api api) {
        Subject subject = subjects.get(chance.nextInt(subjects.size()));
        String value = name + "-" + counter++;
        Optional<ObjectNode> last = Optional.ofNullable(known.get(subject.key()));
        int dice = chance.nextInt(100);
        if (dice < 8) {
            return list(api, subject);
        }
        if (dice < 25 || (last.isEmpty() && dice < 60)) {
            return call(api, new Asked(Verb.GET, subject, 0, "", ""), server -> server.get(subject.path()));
        }
        if (dice < 40 || last.isEmpty()) {
            return call(
                    api,
                    new Asked(Verb.CREATE, subject, 0, "", value),
                    server -> server.post(subject.collection(), subject.manifest(value)));
        }
        if (dice < 55) {
            return patch(api, subject, value, 0);
        }
        if (dice < 65) {
            return patch(api, subject, value, Reading.revision(last.get()));
        }
        if (dice < 80) {
            return replace(api, subject, value, last.get());
        }
        if (dice < 88 && subject.isMap()) {
            return call(
                    api,
                    new Asked(Verb.UPDATE, subject, 0, "", value),
                    server -> server.put(subject.path(), subject.manifest(value)));
        }
        return delete(api, subject, last.get(), dice < 97);
    }

    private boolean patch(Api api, Subject subject, String value, long revision) {
        return call(
                api,
                new Asked(Verb.UPDATE, subject, revision, "", value),
                server -> server.merge(subject.path(), subject.patch(value, revision)));
    }

    private boolean replace(Api api, Subject subject, String value, ObjectNode last) {
        ObjectNode next = last.deepCopy();
        if (subject.isMap()) {
            next.withObject("/data").put("v", value);
        } else {
            next.withObject("/metadata").withObject("/labels").put("v", value);
        }
        return call(
                api,
                new Asked(Verb.UPDATE, subject, Reading.revision(last), "", value),
                server -> server.put(subject.path(), next.toString()));
    }

    private boolean delete(Api api, Subject subject, ObjectNode last, boolean sameOnly) {
        String uid = sameOnly ? Reading.uid(last) : "";
        String options = "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\""
                + (sameOnly ? ",\"preconditions\":{\"uid\":\"" + uid + "\"}}" : "}");
        return call(api, new Asked(Verb.DELETE, subject, 0, uid, ""), server -> server.delete(subject.path(), options));
    }

    private boolean call(Api api, Asked asked, Sending sending) {
        long invoked = System.nanoTime();
        Optional<Reply> reply = send(api, sending);
        Optional<Answer> answer = reply.isEmpty() ? Optional.of(new Call.Unknown()) : understand(asked, reply.get());
        long ended = System.nanoTime();
        answer.ifPresentOrElse(
                known -> diary.note(new Call(
                        asked.verb(),
                        asked.subject().key(),
                        asked.ifRevision(),
                        asked.ifUid(),
                        asked.value(),
                        invoked,
                        ended,
                        known)),
                () -> diary.problem("Expected " + asked + " to be answered with something else than "
                        + reply.map(Reply::code) + " " + reply.map(Reply::text)));
        return reply.isPresent();
    }

    private Optional<Reply> send(Api api, Sending sending) {
        try {
            return Optional.of(sending.send(api));
        } catch (IOException e) {
            if (lives.lives(api)) {
                diary.problem(name + " lost its connection while the server lived: " + e);
            }
            return Optional.empty();
        }
    }

    private Optional<Answer> understand(Asked asked, Reply reply) {
        Subject subject = asked.subject();
        if (reply.code() == 404) {
            known.remove(subject.key());
            return Optional.of(new Call.Absent());
        }
        if (reply.code() == 409) {
            known.remove(subject.key());
            boolean exists = reply.reason().equals("AlreadyExists");
            if (exists != (asked.verb() == Verb.CREATE)
                    || (asked.ifRevision() == 0 && asked.ifUid().isEmpty() && !exists)) {
                return Optional.empty();
            }
            return Optional.of(exists ? new Call.Exists() : new Call.Conflict());
        }
        if (reply.code() != (asked.verb() == Verb.CREATE ? 201 : 200) || !(reply.body() instanceof ObjectNode object)) {
            return Optional.empty();
        }
        if (asked.verb() == Verb.DELETE && object.path("kind").asText().equals("Status")) {
            known.remove(subject.key());
            return Optional.of(new Call.Removed(object.at("/details/uid").asText()));
        }
        known.put(subject.key(), object);
        Call.Seen seen = Reading.seen(object);
        return Optional.of(asked.value().isEmpty() ? new Call.Found(seen) : new Call.Written(seen));
    }

    private boolean list(Api api, Subject subject) {
        long invoked = System.nanoTime();
        Optional<Reply> reply = send(api, server -> server.get(subject.collection()));
        reply.ifPresent(answer -> {
            if (answer.code() == 200) {
                diary.note(listing(subject.resource(), invoked, answer.body()));
            } else {
                diary.problem("Expected a list, but " + answer.text());
            }
        });
        return reply.isPresent();
    }

    static Listing listing(String resource, long invoked, JsonNode list) {
        Map<String, Call.Seen> objects = new TreeMap<>();
        list.path("items").forEach(item -> objects.put(Reading.key(resource, item), Reading.seen(item)));
        return new Listing(resource, invoked, System.nanoTime(), Reading.revision(list), objects);
    }
}
