package dev.mooring.chaos.process;

import dev.mooring.chaos.process.RecordedCall.CallVerb;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Compares the responses to writes with the history: an acknowledged write took effect once and as in its response, a
 * refused write did not, a write without a response took effect at most once, and nothing else changed the objects. For
 * one thread, single use.
 */
final class WriteCheck {
    private final RecordedHistory history;
    private final String user;
    private final List<String> problems = new ArrayList<>();
    private final Map<String, RecordedCall> writes = new HashMap<>();
    private final Map<String, List<RecordedCall>> deletes = new HashMap<>();
    private final Set<String> done = new HashSet<>();

    private WriteCheck(RecordedHistory history, String user) {
        this.history = history;
        this.user = user;
    }

    /** @param user the user name of the clients */
    static List<String> problems(RecordedHistory history, List<RecordedCall> calls, String user) {
        WriteCheck check = new WriteCheck(history, user);
        calls.forEach(check::gather);
        Set<Long> claimed = new HashSet<>();
        Set<String> removed = new HashSet<>();
        for (RecordedCall call : calls) {
            if (call.answer() instanceof RecordedCall.Written written) {
                check.written(call, written.object());
                check.require(claimed.add(written.object().revision()), call, "shares its revision with another call");
            } else if (call.answer() instanceof RecordedCall.Removed deleted) {
                check.require(check.removal(call.key(), deleted.uid()).isPresent(), call, "was lost");
                check.require(removed.add(deleted.uid()), call, "removed an object that another call had removed");
            }
        }
        Set<String> keys = new HashSet<>();
        calls.forEach(call -> keys.add(call.key()));
        history.versions().stream().filter(each -> keys.contains(each.key())).forEach(check::explain);
        return check.problems;
    }

    private void gather(RecordedCall call) {
        if (!call.value().isEmpty()) {
            writes.put(call.value(), call);
        }
        if (call.verb() == CallVerb.DELETE) {
            deletes.computeIfAbsent(call.key(), key -> new ArrayList<>()).add(call);
        }
    }

    private void require(boolean holds, RecordedCall call, String problem) {
        if (!holds) {
            problems.add(call + " " + problem);
        }
    }

    private Optional<ObjectVersion> removal(String key, String uid) {
        return history.ofKey(key).values().stream()
                .filter(each -> !each.isPresent() && each.uid().equals(uid))
                .findFirst();
    }

    private void written(RecordedCall call, RecordedCall.SeenObject answered) {
        Optional<ObjectVersion> version = history.at(call.key(), answered.revision());
        if (version.isEmpty()) {
            problems.add(call + " was acknowledged and is lost");
            return;
        }
        ObjectVersion logged = version.get();
        require(logged.seen().equals(answered), call, "got a response that differs from " + logged);
        require(logged.value().equals(call.value()), call, "led to another value: " + logged);
        require(logged.actor().equals(user), call, "was written by another actor: " + logged);
        ObjectVersion.VersionKind kind =
                call.verb() == CallVerb.CREATE ? ObjectVersion.VersionKind.ADDED : ObjectVersion.VersionKind.MODIFIED;
        require(logged.kind() == kind, call, "led to " + logged);
        require(
                call.ifRevision() == 0 || logged.prior() == call.ifRevision(),
                call,
                "was applied to another revision than requested: " + logged);
    }

    /** Finds the call that caused the version. */
    private void explain(ObjectVersion version) {
        Optional<ObjectVersion> before = history.before(version).filter(ObjectVersion::isPresent);
        if (before.isPresent() != (version.kind() != ObjectVersion.VersionKind.ADDED)) {
            problems.add(version + " does not follow from " + before);
            return;
        }
        boolean sameValue =
                before.map(each -> each.value().equals(version.value())).orElse(false);
        boolean sameUid = before.map(each -> each.uid().equals(version.uid())).orElse(true);
        if (!sameUid) {
            problems.add(version + " turned into another object, from " + before);
        }
        if (!version.actor().equals(user)) {
            if (!sameValue) {
                problems.add(version + " changed a value that is not its own");
            }
        } else if (!version.isPresent() || (version.terminating() && sameValue)) {
            explainDelete(version);
        } else {
            explainWrite(version);
        }
    }

    private void explainWrite(ObjectVersion version) {
        RecordedCall call = writes.get(version.value());
        if (call == null || !call.key().equals(version.key())) {
            problems.add(version + " was requested by no client");
            return;
        }
        if (!done.add(version.value())) {
            problems.add(version + " happened twice: " + call);
        }
        if (call.isRefused()) {
            problems.add(version + " happened although it was refused: " + call);
        }
        if (call.answer() instanceof RecordedCall.Written written
                && written.object().revision() != version.revision()) {
            problems.add(version + " happened at another revision than in the response: " + call);
        }
        if (call.isUnknown() && call.ifRevision() != 0 && call.ifRevision() != version.prior()) {
            problems.add(version + " was applied to another revision than requested: " + call);
        }
    }

    private void explainDelete(ObjectVersion version) {
        boolean requested = deletes.getOrDefault(version.key(), List.of()).stream()
                .anyMatch(call -> !call.isRefused()
                        && (call.ifUid().isEmpty() || call.ifUid().equals(version.uid()))
                        && (call.ifRevision() == 0 || call.ifRevision() == version.prior()));
        if (!requested) {
            problems.add(version + " was requested by no client");
        }
    }
}
