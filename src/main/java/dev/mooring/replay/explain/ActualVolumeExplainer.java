package dev.mooring.replay.explain;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.node.volumemanager.VolumeObserver;
import dev.mooring.node.volumemanager.VolumePlan;
import dev.mooring.replay.explain.Explanation.Finding;
import dev.mooring.replay.explain.Explanation.ObjectRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Explains an ActualVolume: its operations, failures and health, and what the node plans next. Stateless. */
final class ActualVolumeExplainer implements ResourceExplainer {
    @Override
    public Explained explain(StoredObject object, ExplainContext context) {
        ActualVolume actual = ActualVolume.of(object);
        VolumeFindings volumes = new VolumeFindings(context);
        List<Finding> causes =
                new ArrayList<>(volumes.failure(actual, actual.status(), Optional.empty(), actual.source()));
        operation(actual.status()).ifPresent(causes::add);
        for (ActualVolume.Mount each : actual.mounts()) {
            causes.addAll(volumes.failure(actual, each.json(), Optional.empty(), actual.source()));
            operation(each.json()).ifPresent(causes::add);
            VolumeFindings.unhealthy("The volume", each, actual.source()).ifPresent(causes::add);
        }
        VolumePlan plan = VolumeObserver.ofRecords(actual.node()).plan(context.world(), actual.key(), context.now());
        if (causes.isEmpty()) {
            plan.waiting().forEach(each -> causes.add(volumes.waiting(each, actual.key())));
        }
        plan.operations().stream()
                .findFirst()
                .ifPresent(each -> causes.add(Finding.waiting("The node is about to start " + each + '.')
                        .build()));
        if (actual.state().equals(ActualVolume.UNCERTAIN)) {
            causes.add(Finding.info("Uncertain: an interrupted or failed operation may have taken effect. The volume"
                            + " counts as mounted for deletions, and as not mounted for Pods.")
                    .build());
        }
        String text = ObjectRef.of(object) + " is " + actual.state() + " on node " + actual.node() + '.';
        return new Explained(
                actual.state().isEmpty() ? "Pending" : actual.state(),
                GenericExplainer.asSeriousAs(causes, text).about(object).build());
    }

    private static Optional<Finding> operation(JsonNode place) {
        String operation = place.path("operation").asText("");
        return operation.isEmpty()
                ? Optional.empty()
                : Optional.of(Finding.waiting("Operation " + operation + " is in progress.")
                        .at(GenericExplainer.time(place.path("since")))
                        .build());
    }
}
