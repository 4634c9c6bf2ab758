package dev.mooring.replay.explain;

import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.replay.explain.Explanation.Finding;
import dev.mooring.replay.explain.Explanation.ObjectRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Explains StorageClasses: whether they can provision volumes, whether they are the default, and waiting claims. */
final class ClassExplainer implements ResourceExplainer {
    private static final int MAX_LISTED = 5;

    @Override
    public Explained explain(StoredObject object, ExplainContext context) {
        StorageClass storageClass = StorageClass.of(object);
        if (storageClass.isBeingDeleted()) {
            return new GenericExplainer().explain(object, context);
        }
        List<Finding> findings = new ArrayList<>();
        findings.add(provisioner(storageClass));
        findings.add(Finding.ok(
                        storageClass.waitsForConsumer()
                                ? "A claim is bound when a Pod that uses it is scheduled (WaitForFirstConsumer)."
                                : "A claim is bound at once (Immediate).")
                .build());
        if (storageClass.isDefault()) {
            findings.add(defaultClass(storageClass, context));
        }
        context.world().stream(Scope.resource(StorageNames.CLAIMS))
                .filter(each -> each.containsText(storageClass.name()) && context.mayRead(each.key()))
                .map(Claim::of)
                .filter(claim -> claim.className().orElse("").equals(storageClass.name())
                        && claim.phase().equals("Pending"))
                .limit(MAX_LISTED)
                .forEach(claim -> findings.add(Finding.info(ObjectRef.of(claim.stored()) + " is Pending.")
                        .about(claim.stored())
                        .next("See what the claim waits for.", Commands.mooring("explain", claim.key()))
                        .build()));
        return new Explained(
                "Active",
                GenericExplainer.asSeriousAs(findings, ObjectRef.of(object) + " is Active.")
                        .about(object)
                        .build());
    }

    private static Finding provisioner(StorageClass storageClass) {
        String provisioner = storageClass.provisioner();
        String policy = " and the reclaim policy " + storageClass.reclaimPolicy() + '.';
        if (storageClass.isMooringProvisioned()) {
            return Finding.ok("Mooring provisions its volumes, with " + provisioner + policy)
                    .build();
        }
        if (provisioner.equals(StorageNames.NO_PROVISIONER)) {
            return Finding.ok("Its volumes are created by an administrator (" + provisioner + ").")
                    .build();
        }
        return provisioner.startsWith("kubernetes.io/")
                ? Finding.failed("Mooring has no provisioner " + provisioner + '.')
                        .next("List the classes to use instead.", "kubectl get sc")
                        .build()
                : Finding.info("An external provisioner, " + provisioner + ", must provision its volumes.")
                        .build();
    }

    private static Finding defaultClass(StorageClass storageClass, ExplainContext context) {
        Optional<StorageClass> used = context.world().stream(Scope.resource(StorageNames.CLASSES))
                .map(StorageClass::of)
                .filter(StorageClass::isDefault)
                .min(StorageClass.DEFAULTS);
        return used.filter(each -> !each.name().equals(storageClass.name()))
                .map(each -> Finding.info(
                                "It is marked as default, but StorageClass " + each.name() + " is newer and is used.")
                        .about(each.stored())
                        .build())
                .orElseGet(() -> Finding.ok("It is the default class.").build());
    }
}
