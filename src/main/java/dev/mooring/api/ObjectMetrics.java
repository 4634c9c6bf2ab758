package dev.mooring.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.Volume;
import dev.mooring.world.World;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Gauges of PersistentVolumes, claims and Pods, under the names of kube-state-metrics and the kubelet. Collected from
 * the newest World on each scrape; an object that has not changed since the last scrape is not parsed again.
 * Thread-safe.
 */
public final class ObjectMetrics implements MultiCollector {
    private static final List<String> VOLUME_PHASES = List.of("Pending", "Available", "Bound", "Released", "Failed");
    private static final List<String> CLAIM_PHASES = List.of("Lost", "Bound", "Pending");
    private static final List<String> POD_PHASES = List.of("Pending", "Succeeded", "Failed", "Unknown", "Running");
    private static final Map<String, String> CONTAINER_STATES =
            Map.of("running", "running", "terminated", "exited", "waiting", "created");

    private final Supplier<World> world;
    private final String node;
    private Map<ObjectKey, CachedObject> cachedObjects = Map.of();

    /**
     * The reported properties of an object.
     *
     * @param revision of the object
     * @param containers number of containers by state, for a Pod on this node
     */
    private record CachedObject(long revision, String phase, String uid, Map<String, Integer> containers) {}

    /** @param node the node whose Pods and containers are counted as running */
    public ObjectMetrics(Supplier<World> world, String node) {
        this.world = world;
        this.node = node;
    }

    @Override
    public synchronized MetricSnapshots collect() {
        World now = world.get();
        Map<ObjectKey, CachedObject> next = new HashMap<>();
        GaugeSnapshot volumes = phases(
                now,
                next,
                "persistentvolumes",
                gauge(
                        "kube_persistentvolume_status_phase",
                        "The phase indicates if a volume is available, bound to a" + " claim, or released by a claim."),
                VOLUME_PHASES,
                object -> new CachedObject(object.revision(), Volume.of(object).phase(), "", Map.of()));
        GaugeSnapshot claims = phases(
                now,
                next,
                "persistentvolumeclaims",
                gauge(
                        "kube_persistentvolumeclaim_status_phase",
                        "The phase the persistent volume claim is currently" + " in."),
                CLAIM_PHASES,
                object -> new CachedObject(object.revision(), Claim.of(object).phase(), "", Map.of()));
        GaugeSnapshot pods = phases(
                now, next, "pods", gauge("kube_pod_status_phase", "The pods current phase."), POD_PHASES, this::pod);
        cachedObjects = next;
        return MetricSnapshots.of(volumes, claims, pods, runningPods(), runningContainers());
    }

    private GaugeSnapshot phases(
            World now,
            Map<ObjectKey, CachedObject> next,
            String resource,
            GaugeSnapshot.Builder gauge,
            List<String> phases,
            Function<StoredObject, CachedObject> parse) {
        for (StoredObject object : now.list(Scope.resource(resource))) {
            CachedObject known = cachedObjects.get(object.key());
            CachedObject current = known != null && known.revision() == object.revision() ? known : parse.apply(object);
            next.put(object.key(), current);
            for (String phase : phases) {
                gauge.dataPoint(point(phase.equals(current.phase()) ? 1 : 0, labels(object.key(), current, phase)));
            }
        }
        return gauge.build();
    }

    private static Labels labels(ObjectKey key, CachedObject object, String phase) {
        return switch (key.resource()) {
            case "persistentvolumes" -> Labels.of("persistentvolume", key.name(), "phase", phase);
            case "persistentvolumeclaims" ->
                Labels.of("namespace", key.namespace().orElse(""), "persistentvolumeclaim", key.name(), "phase", phase);
            default ->
                Labels.of(
                        "namespace",
                        key.namespace().orElse(""),
                        "phase",
                        phase,
                        "pod",
                        key.name(),
                        "uid",
                        object.uid());
        };
    }

    private CachedObject pod(StoredObject object) {
        Pod pod = Pod.of(object);
        Map<String, Integer> containers = new TreeMap<>();
        if (pod.nodeName().equals(node)) {
            for (String list : List.of("containerStatuses", "initContainerStatuses")) {
                for (JsonNode container : pod.tree().path("status").path(list)) {
                    CONTAINER_STATES.forEach((field, state) -> {
                        if (container.path("state").has(field)) {
                            containers.merge(state, 1, Integer::sum);
                        }
                    });
                }
            }
        }
        return new CachedObject(object.revision(), pod.phase(), pod.uid(), containers);
    }

    private GaugeSnapshot runningPods() {
        long running = cachedObjects.values().stream()
                .filter(each -> each.containers().containsKey("running"))
                .count();
        return gauge("kubelet_running_pods", "Number of pods that have a running pod sandbox")
                .dataPoint(point((double) running, Labels.EMPTY))
                .build();
    }

    private GaugeSnapshot runningContainers() {
        Map<String, Integer> total = new TreeMap<>();
        cachedObjects
                .values()
                .forEach(each -> each.containers().forEach((state, count) -> total.merge(state, count, Integer::sum)));
        GaugeSnapshot.Builder gauge = gauge("kubelet_running_containers", "Number of containers currently running");
        total.forEach((state, count) -> gauge.dataPoint(point(count, Labels.of("container_state", state))));
        return gauge.build();
    }

    private static GaugeSnapshot.Builder gauge(String name, String help) {
        return GaugeSnapshot.builder().name(name).help(help);
    }

    private static GaugeDataPointSnapshot point(double value, Labels labels) {
        return GaugeDataPointSnapshot.builder().value(value).labels(labels).build();
    }
}
