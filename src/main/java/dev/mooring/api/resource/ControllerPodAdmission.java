package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.Grant;
import dev.mooring.api.auth.User;
import dev.mooring.api.policy.PodPolicy;
import dev.mooring.api.rules.Violations;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.world.ResourceQuotas;
import dev.mooring.world.World;
import java.util.Optional;

/**
 * Completes and checks Pods that controllers create from templates, as the API does for Pods of users. Whether the
 * author of the template may use its fields was decided when the template was written (ADR 43). Thread-safe.
 */
public final class ControllerPodAdmission {
    private static final User CONTROLLER = User.of("system:kube-controller-manager", Grant.NOTHING);

    private final KindDefinition pods;
    private final Admission admission;

    public ControllerPodAdmission(Catalog catalog, PodPolicy policy) {
        this.pods = catalog.find("", "v1", "pods").orElseThrow();
        this.admission = new Admission(policy);
    }

    /**
     * Sets the defaults and the initial status of a new Pod.
     *
     * @param pod with name, namespace and uid; modified
     * @return why the Pod is not allowed; empty if it is
     */
    public Optional<String> admit(World world, ObjectNode pod) {
        String namespace = ObjectJson.text(ObjectJson.metadata(pod), "namespace");
        String name = ObjectJson.text(ObjectJson.metadata(pod), "name");
        ResourceRef target = new ResourceRef(pods, Optional.of(namespace), Optional.of(name), "");
        boolean terminating = world.get(ObjectKey.clusterWide("namespaces", namespace))
                .filter(found -> !ObjectJson.tree(found).path("metadata").hasNonNull("deletionTimestamp"))
                .isEmpty();
        if (terminating) {
            return Optional.of(target.forbidden(
                            name,
                            "unable to create new content in namespace " + namespace
                                    + " because it is being terminated")
                    .message());
        }
        try {
            admission.applyNamespaceDefaults(target, pod);
            pods.rules().prepareForCreate(pod);
            pods.rules().applyDefaults(pod);
            if (pods.rules().hasGeneration()) {
                ObjectJson.metadata(pod).put("generation", 1);
            }
            admission.admitFromTemplate(world, target, pod, CONTROLLER);
        } catch (StatusException e) {
            return Optional.of(e.status().message());
        }
        Violations violations = new Violations();
        pods.metadata().validate(pod, violations);
        pods.rules().validate(pod, violations);
        pods.rules().validateCreate(pod, violations);
        return violations.isEmpty()
                ? ResourceQuotas.refusal(
                                world,
                                Optional.empty(),
                                Draft.of(target.key(), pod).at(world.revision() + 1))
                        .map(why -> target.forbidden(name, why).message())
                : Optional.of("Pod \"" + name + "\" is invalid: " + violations.text());
    }
}
