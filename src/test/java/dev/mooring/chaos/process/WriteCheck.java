package dev.mooring.chaos.process;

import dev.mooring.chaos.process.Call.Verb;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Holds what clients were told about their writes against what happened: what was acknowledged did happen, once, and as it was answered; what was
 * refused did not; what nobody knows happened at most once; and nothing else happened to their objects. For one thread, once.
 */
final class WriteCheck {
    private final Truth truth;
    private final String user;
    private final List<String> problems = new ArrayList<>();
    private final Map<String, Call> writes = new HashMap<>();
    private final Map<String, List<Call>> deletes = new HashMap<>();
    private final Set<String> done = new HashSet<>();

    private WriteCheck(Truth truth, String user) {
        this.truth = truth;
        this.user = user;
    }

    /** @param user the name under which the clients write */
    static List<String> problems(Truth truth, List<Call> calls, String user) {
        WriteCheck check = new WriteCheck(truth, user);
        calls.forEach(check::gather);
        Set<Long> claimed = new HashSet<>();
        Set<String> removed = new HashSet<>();
        for (Call call : calls) {
            if (call.answer() instanceof Call.Written written) {
                check.written(call, written.object());
                check.require(claimed.add(written.object().revision()), call, "shares its revision with another");
            } else if (call.answer() instanceof Call.Removed gone) {
                check.require(check.removal(call.key(), gone.uid()).isPresent(), call, "was lost");
                check.require(removed.add(gone.uid()), call, "removed what another had removed");
            }
        }
        Set<String> keys = new HashSet<>();
        calls.forEach(call -> keys.add(call.key()));
        truth.versions().stream().filter(each -> keys.contains(each.key())).forEach(check::explain);
        return check.problems;
    }

    private void gather(Call call) {
        if (!call.value().isEmpty()) {
            writes.put(call.value(), call);
        }
        if (call.verb() == Verb.DELETE) {
            deletes.computeIfAbsent(call.key(), key -> new ArrayList<>()).add(call);
        }
    }

    private void require(boolean holds, Call call, String problem) {
        if (!holds) {
            problems.add(call + " " + problem);
        }
    }

    private Optional<Version> removal(String key, String uid) {
        return truth.ofKey(key).values().stream()
                .filter(each -> !each.isPresent() && each.uid().equals(uid))
                .findFirst();
    }

    private void written(Call call, Call.Seen answered) {
        Optional<Version> version = truth.at(call.key(), answered.revision());
        if (version.isEmpty()) {
            problems.add(call + " was acknowledged and is lost");
            return;
        }
        Version there = version.get();
        require(there.seen().equals(answered), call, "was answered with something else than " + there);
        require(there.value().equals(call.value()), call, "led to another value: " + there);
        require(there.actor().equals(user), call, "was written by another: " + there);
        Version.Kind kind = call.verb() == Verb.CREATE ? Version.Kind.ADDED : Version.Kind.MODIFIED;
        require(there.kind() == kind, call, "led to " + there);
        require(
                call.ifRevision() == 0 || there.prior() == call.ifRevision(),
                call,
                "was made upon another revision than it asked for: " + there);
    }

    /** Finds who did it. */
    private void explain(Version version) {
        Optional<Version> before = truth.before(version).filter(Version::isPresent);
        if (before.isPresent() != (version.kind() != Version.Kind.ADDED)) {
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

    private void explainWrite(Version version) {
        Call call = writes.get(version.value());
        if (call == null || !call.key().equals(version.key())) {
            problems.add(version + " was asked for by nobody");
            return;
        }
        if (!done.add(version.value())) {
            problems.add(version + " happened twice: " + call);
        }
        if (call.isRefused()) {
            problems.add(version + " happened although it was refused: " + call);
        }
        if (call.answer() instanceof Call.Written written && written.object().revision() != version.revision()) {
            problems.add(version + " happened at another revision than was answered: " + call);
        }
        if (call.isUnknown() && call.ifRevision() != 0 && call.ifRevision() != version.prior()) {
            problems.add(version + " was made upon another revision than it asked for: " + call);
        }
    }

    private void explainDelete(Version version) {
        boolean asked = deletes.getOrDefault(version.key(), List.of()).stream()
                .anyMatch(call -> !call.isRefused()
                        && (call.ifUid().isEmpty() || call.ifUid().equals(version.uid()))
                        && (call.ifRevision() == 0 || call.ifRevision() == version.prior()));
        if (!asked) {
            problems.add(version + " was asked for by nobody");
        }
    }
}
