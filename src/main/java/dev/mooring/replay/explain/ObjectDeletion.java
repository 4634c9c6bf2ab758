package dev.mooring.replay.explain;

import dev.mooring.model.Event;
import dev.mooring.model.StoredObject;
import dev.mooring.replay.explain.Explanation.Finding;
import dev.mooring.replay.explain.Explanation.ObjectRef;

/**
 * The deletion of an object.
 *
 * @param request the event of the request that deleted it
 * @param removal the event that removed it, after its finalizers; often the same
 * @param last its last state
 */
record ObjectDeletion(Event request, Event removal, StoredObject last) {
    /** Returns {@code PersistentVolume pv1 was deleted by admin at revision 812}, without a full stop. */
    String text() {
        return ObjectRef.of(last) + " was deleted by " + request.actor() + " at revision " + request.revision();
    }

    /** Returns the finding about an object that was deleted. */
    Finding finding() {
        Finding.Builder finding = Finding.info(text() + '.').about(last).at(request);
        if (removal.revision() != request.revision()) {
            finding.because(Finding.ok(removal.actor() + " removed its last finalizer.")
                    .at(removal)
                    .build());
        }
        String before = Long.toString(removal.revision() - 1);
        return finding.next(
                        "See its state before it was removed.", Commands.mooring("explain", last.key(), "--at", before))
                .next("See all its changes.", Commands.mooring("history", last.key()))
                .build();
    }
}
