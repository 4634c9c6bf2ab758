package dev.mooring.sim.user;

import dev.mooring.api.resource.Answer;
import dev.mooring.api.status.Status;
import java.util.Optional;

/**
 * What a client was answered.
 *
 * @param answer of a success
 * @param refusal of anything else
 */
record Reply(Optional<Answer> answer, Optional<Status> refusal) {
    static Reply of(Answer answer) {
        return new Reply(Optional.of(answer), Optional.empty());
    }

    static Reply refused(Status status) {
        return new Reply(Optional.empty(), Optional.of(status));
    }

    boolean isSuccess() {
        return answer.isPresent();
    }

    /** For the coverage. */
    String text() {
        return refusal.map(status -> status.code() + " " + status.reason()).orElse("done");
    }
}
