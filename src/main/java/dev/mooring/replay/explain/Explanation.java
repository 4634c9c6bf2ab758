package dev.mooring.replay.explain;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Event;
import dev.mooring.model.KindResources;
import dev.mooring.model.KindResources.ResourceKind;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Why an object is in its state: a tree of findings, from the object to the cause, and what a user can do. Immutable.
 *
 * @param revision the revision of the World that was read
 * @param time when that World was current
 * @param state such as {@code Pending} or {@code Terminating}
 * @param isProblem whether the object waits for something or has failed
 * @param summary one sentence with the object, its state and the cause
 * @param next commands in the order in which a user should try them
 */
public record Explanation(
        ObjectRef object,
        long revision,
        Instant time,
        String state,
        boolean isProblem,
        String summary,
        Finding root,
        List<NextStep> next) {

    public Explanation {
        next = List.copyOf(next);
    }

    /** How serious a finding is, from the least to the most. */
    public enum FindingSeverity {
        OK,
        INFO,
        WAITING,
        FAILED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The identity of an object that a finding is about. */
    public record ObjectRef(ObjectKey key, String uid) {
        public static ObjectRef of(StoredObject object) {
            return new ObjectRef(
                    object.key(), object.tree().path("metadata").path("uid").asText(""));
        }

        /** Returns the kind; the resource if Mooring does not know its kind. */
        public String kind() {
            return KindResources.ofResource(key.resource())
                    .map(ResourceKind::kind)
                    .orElse(key.resource());
        }

        /** Returns {@code Pod shop/web} or {@code Node n1}. */
        @Override
        public String toString() {
            return kind() + ' ' + key.namespace().map(each -> each + '/').orElse("") + key.name();
        }

        ObjectNode json() {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.put("resource", key.resource()).put("kind", kind());
            key.namespace().ifPresent(namespace -> json.put("namespace", namespace));
            json.put("name", key.name());
            putUnlessEmpty(json, "uid", uid);
            return json;
        }
    }

    /**
     * A command that a user can paste.
     *
     * @param text what it does, as an imperative sentence
     */
    public record NextStep(String text, String command) {}

    /**
     * One fact of an explanation, and the facts that caused it.
     *
     * <p>The text may mention only the finding's own object, the objects of the findings above it, and what the fields
     * of those objects say. So a finding about an object that a reader may not read can be replaced as a whole.
     *
     * @param text one sentence
     * @param reason a reason of Kubernetes or Mooring, such as {@code FailedMount}; "" for none
     * @param object empty if the finding is about the object of the finding above it
     * @param revision the revision of the event that the finding is about; 0 for none
     * @param attempt the number of attempts so far; 0 if nothing is attempted
     * @param next commands that act on this cause
     */
    public record Finding(
            String text,
            FindingSeverity severity,
            String reason,
            Optional<ObjectRef> object,
            long revision,
            Optional<Instant> time,
            int attempt,
            Optional<Instant> retryAt,
            List<Finding> because,
            List<NextStep> next) {

        public Finding {
            because = List.copyOf(because);
            next = List.copyOf(next);
        }

        public static Builder ok(String text) {
            return new Builder(FindingSeverity.OK, text);
        }

        public static Builder info(String text) {
            return new Builder(FindingSeverity.INFO, text);
        }

        public static Builder waiting(String text) {
            return new Builder(FindingSeverity.WAITING, text);
        }

        public static Builder failed(String text) {
            return new Builder(FindingSeverity.FAILED, text);
        }

        /**
         * Returns the finding that explains this one best: follows the most serious cause as long as there is exactly
         * one. Causes that are no problem themselves are details of one that is.
         */
        public Finding rootCause() {
            Optional<FindingSeverity> worst =
                    because.stream().map(Finding::severity).max(FindingSeverity::compareTo);
            List<Finding> causes = because.stream()
                    .filter(each -> each.severity == worst.orElseThrow() && (each.isProblem() || !isProblem()))
                    .toList();
            return causes.size() == 1 ? causes.get(0).rootCause() : this;
        }

        boolean isProblem() {
            return severity.compareTo(FindingSeverity.WAITING) >= 0;
        }

        /** Returns a copy of this finding with other causes. */
        Finding withCauses(List<Finding> causes) {
            return new Finding(text, severity, reason, object, revision, time, attempt, retryAt, causes, next);
        }

        private void addStepsTo(Set<NextStep> steps) {
            because.forEach(each -> each.addStepsTo(steps)); // the cause before the symptom
            steps.addAll(next);
        }

        ObjectNode json() {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.put("text", text).put("severity", severity.toString());
            putUnlessEmpty(json, "reason", reason);
            object.ifPresent(each -> json.set("object", each.json()));
            if (revision > 0) {
                json.put("revision", revision);
            }
            time.ifPresent(each -> json.put("time", shown(each)));
            if (attempt > 0) {
                json.put("attempt", attempt);
            }
            retryAt.ifPresent(each -> json.put("retryAt", shown(each)));
            if (!because.isEmpty()) {
                ArrayNode causes = json.putArray("because");
                because.forEach(each -> causes.add(each.json()));
            }
            return json;
        }

        /** Builds a finding. */
        public static final class Builder {
            private final FindingSeverity severity;
            private final String text;
            private String reason = "";
            private Optional<ObjectRef> object = Optional.empty();
            private long revision;
            private Optional<Instant> time = Optional.empty();
            private int attempt;
            private Optional<Instant> retryAt = Optional.empty();
            private final List<Finding> because = new ArrayList<>();
            private final List<NextStep> next = new ArrayList<>();

            private Builder(FindingSeverity severity, String text) {
                this.severity = severity;
                this.text = text;
            }

            public Builder reason(String newReason) {
                reason = newReason;
                return this;
            }

            public Builder about(StoredObject newObject) {
                object = Optional.of(ObjectRef.of(newObject));
                return this;
            }

            /** Sets an object that may not exist. */
            public Builder about(ObjectKey key) {
                object = Optional.of(new ObjectRef(key, ""));
                return this;
            }

            /** Sets the event that the finding is about. */
            public Builder at(Event event) {
                revision = event.revision();
                time = Optional.of(event.time());
                return this;
            }

            /** Sets the time of the fact; the epoch for unknown. */
            public Builder at(Instant newTime) {
                time = Optional.of(newTime).filter(each -> !each.equals(Instant.EPOCH));
                return this;
            }

            public Builder attempt(int newAttempt) {
                attempt = newAttempt;
                return this;
            }

            public Builder retryAt(Optional<Instant> newRetryAt) {
                retryAt = newRetryAt;
                return this;
            }

            public Builder because(Finding cause) {
                because.add(cause);
                return this;
            }

            public Builder because(Collection<Finding> causes) {
                because.addAll(causes);
                return this;
            }

            /** Adds a command that a user can paste. */
            public Builder next(String newText, String command) {
                next.add(new NextStep(newText, command));
                return this;
            }

            public Finding build() {
                return new Finding(text, severity, reason, object, revision, time, attempt, retryAt, because, next);
            }
        }
    }

    /** Makes an explanation of its tree; the summary and the next steps follow from it. */
    static Explanation of(ObjectRef object, long revision, Instant time, String state, Finding root) {
        boolean isProblem = root.isProblem();
        Finding cause = root.rootCause();
        String summary = cause.equals(root) ? root.text() : withoutStop(root.text()) + ": " + cause.text();
        Set<NextStep> steps = new LinkedHashSet<>();
        root.addStepsTo(steps);
        return new Explanation(object, revision, time, state, isProblem, summary, root, List.copyOf(steps));
    }

    private static String withoutStop(String sentence) {
        return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
    }

    public ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("kind", "Explanation").put("apiVersion", "mooring.dev/v1");
        json.set("object", object.json());
        json.put("revision", revision).put("time", shown(time)).put("state", state);
        json.put("problem", isProblem).put("summary", summary);
        json.set("root", root.json());
        ArrayNode steps = json.putArray("next");
        next.forEach(each -> steps.addObject().put("text", each.text()).put("command", each.command()));
        return json;
    }

    private static String shown(Instant time) {
        return time.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    private static void putUnlessEmpty(ObjectNode json, String field, String value) {
        if (!value.isEmpty()) {
            json.put(field, value);
        }
    }
}
