package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.KindResources;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.StoredObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** A ResourceQuota, and the amounts that objects use of one, under Kubernetes' names. Immutable. */
public final class ResourceQuota extends View {
    public static final String RESOURCE = "resourcequotas";

    /** Separates a class from the name that is limited for its claims. */
    public static final String CLASS_INFIX = ".storageclass.storage.k8s.io/";

    private static final String COUNT = "count/";
    private static final String PODS = "pods";
    private static final String REQUESTS = "requests.";
    private static final String LIMITS = "limits.";
    private static final String REQUESTED_STORAGE = REQUESTS + "storage";
    private static final Quantity ONE = Quantity.parse("1");
    private static final List<String> COMPUTE = List.of("cpu", "memory", "ephemeral-storage");

    /** Resources of the core group that are limited by their plural alone. */
    private static final Set<String> COUNTED =
            Set.of("configmaps", StorageNames.CLAIMS, "replicationcontrollers", RESOURCE, "secrets", "services");

    /** Compute resources that every container must specify if a quota limits them. */
    private static final Set<String> REQUIRED =
            Set.of("cpu", "memory", REQUESTS + "cpu", REQUESTS + "memory", LIMITS + "cpu", LIMITS + "memory");

    private ResourceQuota(StoredObject stored) {
        super(stored);
    }

    public static ResourceQuota of(StoredObject stored) {
        return new ResourceQuota(stored);
    }

    /** Returns the limits by name, sorted. */
    public NavigableMap<String, Quantity> hard() {
        NavigableMap<String, Quantity> hard = new TreeMap<>();
        spec().path("hard").properties().forEach(each -> hard.put(each.getKey(), amount(each.getValue())));
        return hard;
    }

    /** Returns the resource whose objects a name counts; empty if it is not a count of objects. */
    public static Optional<String> countedResource(String name) {
        String plural = name.startsWith(COUNT) ? name.substring(COUNT.length()) : name;
        boolean counts =
                name.startsWith(COUNT) ? KindResources.ofResource(plural).isPresent() : COUNTED.contains(name);
        return counts ? Optional.of(plural) : Optional.empty();
    }

    /** Returns whether the name is a sum of amounts of Pods. */
    public static boolean isOfPods(String name) {
        String bare =
                name.startsWith(REQUESTS) || name.startsWith(LIMITS) ? name.substring(name.indexOf('.') + 1) : name;
        return name.equals(PODS) || COMPUTE.contains(bare);
    }

    /** Returns whether the name is a sum of amounts of claims. */
    public static boolean isOfClaims(String name) {
        return name.equals(REQUESTED_STORAGE)
                || name.endsWith(CLASS_INFIX + REQUESTED_STORAGE)
                || name.endsWith(CLASS_INFIX + StorageNames.CLAIMS);
    }

    /** Returns everything that an object uses of a quota. */
    public static Map<String, Quantity> usedBy(StoredObject object) {
        String resource = object.key().resource();
        Map<String, Quantity> used = new HashMap<>();
        used.put(COUNT + resource, ONE);
        if (COUNTED.contains(resource)) {
            used.put(resource, ONE);
        }
        if (resource.equals(PODS)) {
            used.putAll(usedByPod(object));
        } else if (resource.equals(StorageNames.CLAIMS)) {
            used.putAll(usedByClaim(object));
        }
        return used;
    }

    /** Returns the amounts of a Pod; none if it is finished. */
    public static Map<String, Quantity> usedByPod(StoredObject object) {
        Pod pod = Pod.of(object);
        if (pod.isFinished()) {
            return Map.of();
        }
        Map<String, Quantity> used = new HashMap<>();
        used.put(PODS, ONE);
        for (String resource : COMPUTE) {
            put(used, REQUESTS + resource, concurrent(pod.spec(), "requests", resource));
            put(used, LIMITS + resource, concurrent(pod.spec(), "limits", resource));
            if (used.containsKey(REQUESTS + resource)) {
                used.put(resource, used.get(REQUESTS + resource));
            }
        }
        return used;
    }

    /** Returns the amounts of a claim: its request, or what a failed expansion has already allocated. */
    public static Map<String, Quantity> usedByClaim(StoredObject object) {
        Claim claim = Claim.of(object);
        Quantity allocated = amount(claim.status().path("allocatedResources").path("storage"));
        Quantity requested = claim.request();
        Quantity storage = requested.compareTo(allocated) < 0 ? allocated : requested;
        Map<String, Quantity> used = new HashMap<>();
        put(used, REQUESTED_STORAGE, storage);
        claim.className().filter(name -> !name.isEmpty()).ifPresent(name -> {
            put(used, name + CLASS_INFIX + REQUESTED_STORAGE, storage);
            used.put(name + CLASS_INFIX + StorageNames.CLAIMS, ONE);
        });
        return used;
    }

    /**
     * Returns the largest amount that the containers of a Pod use at the same time: sidecars run beside all that
     * follow, other init containers one after another; plus the Pod's overhead.
     */
    private static Quantity concurrent(JsonNode spec, String list, String resource) {
        Quantity overhead = amount(spec.path("overhead").path(resource));
        JsonNode whole = spec.path("resources").path(list).path(resource);
        if (whole.isValueNode()) {
            return sum(amount(whole), overhead);
        }
        Quantity running = Quantity.ZERO;
        Quantity preparing = Quantity.ZERO;
        for (JsonNode container : spec.path("initContainers")) {
            Quantity own = amount(container.path("resources").path(list).path(resource));
            Quantity peak = sum(running, own);
            preparing = preparing.compareTo(peak) < 0 ? peak : preparing;
            running = container.path("restartPolicy").asText("").equals("Always") ? peak : running;
        }
        for (JsonNode container : spec.path("containers")) {
            running = sum(running, amount(container.path("resources").path(list).path(resource)));
        }
        return sum(running.compareTo(preparing) < 0 ? preparing : running, overhead);
    }

    /** Adds amounts in the format of the first one that is not 0. */
    private static Quantity sum(Quantity one, Quantity other) {
        return one.signum() == 0 ? other : one.plus(other);
    }

    private static void put(Map<String, Quantity> used, String name, Quantity amount) {
        if (amount.signum() > 0) {
            used.put(name, amount);
        }
    }

    private static Quantity amount(JsonNode value) {
        try {
            return value.isValueNode() && !value.isNull()
                    ? Quantity.parse(value.asText().trim())
                    : Quantity.ZERO;
        } catch (Quantity.MalformedException e) {
            return Quantity.ZERO;
        }
    }

    /**
     * Returns which compute resources of this quota the containers of a Pod do not specify, in Kubernetes' words; empty
     * if they specify all.
     */
    public Optional<String> missingFrom(StoredObject pod) {
        NavigableMap<String, TreeSet<String>> missing = new TreeMap<>();
        for (String list : List.of("initContainers", "containers")) {
            for (JsonNode container : Pod.of(pod).spec().path(list)) {
                for (String name : hard().keySet()) {
                    if (REQUIRED.contains(name) && !specifies(container.path("resources"), name)) {
                        missing.computeIfAbsent(name, unused -> new TreeSet<>())
                                .add(container.path("name").asText(""));
                    }
                }
            }
        }
        return missing.isEmpty()
                ? Optional.empty()
                : Optional.of(missing.entrySet().stream()
                        .map(each -> each.getKey() + " for: " + String.join(",", each.getValue()))
                        .collect(Collectors.joining("; ", "must specify ", "")));
    }

    private static boolean specifies(JsonNode resources, String name) {
        return name.startsWith(LIMITS)
                ? resources.path("limits").has(name.substring(LIMITS.length()))
                : resources.path("requests").has(name.startsWith(REQUESTS) ? name.substring(REQUESTS.length()) : name);
    }

    public static ObjectKey key(String namespace, String name) {
        return ObjectKey.namespaced(RESOURCE, namespace, name);
    }
}
