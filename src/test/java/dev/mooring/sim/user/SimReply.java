package dev.mooring.sim.user;

import dev.mooring.api.Status;
import dev.mooring.api.resource.WriteResponse;
import java.util.Optional;

/**
 * The response to a client.
 *
 * @param answer of a successful request
 * @param refusal of any other request
 */
record SimReply(Optional<WriteResponse> answer, Optional<Status> refusal) {
    static SimReply of(WriteResponse answer) {
        return new SimReply(Optional.of(answer), Optional.empty());
    }

    static SimReply refused(Status status) {
        return new SimReply(Optional.empty(), Optional.of(status));
    }

    boolean isSuccess() {
        return answer.isPresent();
    }

    /** Returns a short text for the coverage. */
    String text() {
        return refusal.map(status -> status.code() + " " + status.reason()).orElse("done");
    }
}
