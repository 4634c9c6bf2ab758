package dev.mooring.node.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.StorageNames;
import dev.mooring.node.status.MachineFacts.Identity;
import dev.mooring.node.status.MachineFacts.MachineResources;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Writes the machine's state into its Node. Values that are still correct stay byte for byte, so that the Node of an
 * unchanged machine does not change; fields of other owners always stay. For one thread.
 */
final class NodeObjectBuilder {
    static final String FREE_BYTES = "mooring.dev/free-bytes.";

    private static final String RUNTIME_VERSION = "containerRuntimeVersion";
    private static final String RUNTIME_READY = "ContainerRuntimeReady";

    private static final long KIB = 1L << 10;
    private static final long COARSE = 1L << 30;
    private static final long FINE = 1L << 26;

    /** Changes of less than a twentieth are not reported. */
    private static final int SIGNIFICANT_CHANGE = 20;

    /** The kubelet's default. */
    private static final String MAX_PODS = "110";

    private final ObjectNode node;
    private final Instant now;

    /**
     * Creates a builder.
     *
     * @param node the object to modify
     */
    NodeObjectBuilder(ObjectNode node, Instant now) {
        this.node = node;
        this.now = now;
    }

    ObjectNode with(MachineFacts facts, String version, RuntimeStatusHolder.RuntimeStatus engine) {
        Identity identity = facts.identity();
        label("kubernetes.io/hostname", node.path("metadata").path("name").asText());
        label("kubernetes.io/os", "linux");
        label("kubernetes.io/arch", identity.architecture());
        volumeBases(facts.volumeBases());
        freeBytes(facts.freeBytes());
        ObjectNode status = node.withObject("/status");
        Map<String, String> amounts = amounts(facts.resources());
        amounts.forEach(status.withObject("/capacity")::put);
        amounts.forEach(status.withObject("/allocatable")::put);
        for (Pressure pressure : Pressure.values()) {
            condition(pressure, facts.resources());
        }
        facts.capabilities().map(MachineCheck::of).orElse(List.of()).forEach(this::condition);
        addresses(status, identity);
        info(status.withObject("/nodeInfo"), identity, version);
        engine(engine, status.withObject("/nodeInfo"));
        return node;
    }

    /**
     * Sets the Ready condition. A node that never had an engine only provides volumes, and is ready for that; a node
     * that lost its engine is not ready.
     */
    private void engine(RuntimeStatusHolder.RuntimeStatus engine, ObjectNode info) {
        if (engine instanceof RuntimeStatusHolder.RuntimeStatus.Present present) {
            info.put(RUNTIME_VERSION, present.version());
            condition(RUNTIME_READY, "True", "EngineAnswers", "the container engine responds");
            ready();
        } else if (engine instanceof RuntimeStatusHolder.RuntimeStatus.Absent absent) {
            boolean had = !info.path(RUNTIME_VERSION).asText("").isEmpty();
            String reason = had ? "EngineUnreachable" : "NoContainerEngine";
            condition(RUNTIME_READY, "False", reason, absent.reason());
            if (had) {
                condition(
                        "Ready", "False", "ContainerRuntimeNotReady", "container runtime is down: " + absent.reason());
            } else {
                ready();
            }
        } else if (engine instanceof RuntimeStatusHolder.RuntimeStatus.Disabled
                || find("Ready").isEmpty()) {
            ready();
        }
    }

    private void ready() {
        condition("Ready", "True", "MooringReady", "Mooring is posting ready status");
    }

    /** Sets a label unless a user has set another value. */
    private void label(String name, String value) {
        ObjectNode labels = node.withObject("/metadata/labels");
        if (!labels.hasNonNull(name)) {
            labels.put(name, value);
        }
    }

    /** Writes the base directories; the provisioner accepts only volumes there. */
    private void volumeBases(Map<String, Path> bases) {
        ObjectNode annotations = node.withObject("/metadata/annotations");
        new TreeMap<>(bases).forEach((kind, base) -> annotations.put(StorageNames.VOLUME_BASE + kind, base.toString()));
    }

    private void freeBytes(Map<String, Long> free) {
        ObjectNode annotations = node.withObject("/metadata/annotations");
        for (Iterator<String> names = annotations.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (name.startsWith(FREE_BYTES) && !free.containsKey(name.substring(FREE_BYTES.length()))) {
                names.remove();
            }
        }
        new TreeMap<>(free).forEach((kind, bytes) -> {
            String name = FREE_BYTES + kind;
            Optional<Long> reported = number(annotations.path(name));
            long rounded = rounded(bytes);
            if (reported.isEmpty() || isSignificant(reported.get(), rounded)) {
                annotations.put(name, Long.toString(rounded));
            }
        });
        if (annotations.isEmpty()) {
            ((ObjectNode) node.get("metadata")).remove("annotations");
        }
    }

    private static long rounded(long bytes) {
        long step = bytes < COARSE ? FINE : COARSE;
        return bytes / step * step;
    }

    private static boolean isSignificant(long reported, long found) {
        return Math.abs(found - reported) >= Math.max(1, reported / SIGNIFICANT_CHANGE);
    }

    private static Optional<Long> number(JsonNode text) {
        try {
            return Optional.of(Long.parseLong(text.asText("")));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static Map<String, String> amounts(MachineResources has) {
        Map<String, String> amounts = new LinkedHashMap<>();
        amounts.put("cpu", Integer.toString(has.cpus()));
        if (has.diskBytes() > 0) {
            amounts.put("ephemeral-storage", has.diskBytes() / KIB + "Ki");
        }
        amounts.put("memory", has.memoryBytes() / KIB + "Ki");
        amounts.put("pods", MAX_PODS);
        return amounts;
    }

    private void condition(MachineCheck check) {
        boolean ok = check.state() == MachineCheck.State.OK;
        String message = ok ? check.message() : check.message() + "; next: " + check.remedy();
        condition(check.condition(), ok ? "True" : "False", check.reason(), message);
    }

    private void condition(Pressure pressure, MachineResources has) {
        boolean was = find(pressure.condition())
                .filter(found -> found.path("status").asText("").equals("True"))
                .isPresent();
        boolean is = was ? pressure.staysUnderPressure(has) : pressure.isBelowThreshold(has);
        condition(pressure.condition(), is ? "True" : "False", pressure.reason(is), pressure.message(is));
    }

    private void condition(String type, String status, String reason, String message) {
        Optional<ObjectNode> found = find(type);
        if (found.filter(each -> each.path("status").asText("").equals(status)
                        && each.path("reason").asText("").equals(reason)
                        && each.path("message").asText("").equals(message))
                .isPresent()) {
            return;
        }
        ObjectNode condition = found.orElseGet(() ->
                node.withObject("/status").withArray("conditions").addObject().put("type", type));
        String time = now.truncatedTo(ChronoUnit.SECONDS).toString();
        boolean turned = !condition.path("status").asText("").equals(status);
        condition.put("status", status).put("lastHeartbeatTime", time);
        if (turned) {
            condition.put("lastTransitionTime", time);
        }
        condition.put("reason", reason).put("message", message);
    }

    private Optional<ObjectNode> find(String type) {
        return condition(node, type);
    }

    static Optional<ObjectNode> condition(JsonNode node, String type) {
        for (JsonNode each : node.path("status").path("conditions")) {
            if (each instanceof ObjectNode condition
                    && condition.path("type").asText("").equals(type)) {
                return Optional.of(condition);
            }
        }
        return Optional.empty();
    }

    /** Sets the addresses; keeps addresses of other types. */
    private static void addresses(ObjectNode status, Identity identity) {
        ArrayNode addresses = JsonNodeFactory.instance.arrayNode();
        identity.address()
                .ifPresent(address ->
                        addresses.addObject().put("type", "InternalIP").put("address", address));
        addresses.addObject().put("type", "Hostname").put("address", identity.hostName());
        for (JsonNode each : status.path("addresses")) {
            String type = each.path("type").asText("");
            if (!type.equals("InternalIP") && !type.equals("Hostname")) {
                addresses.add(each);
            }
        }
        status.set("addresses", addresses);
    }

    private static void info(ObjectNode info, Identity identity, String version) {
        info.put("machineID", identity.machineId());
        info.put("systemUUID", identity.systemUuid());
        info.put("bootID", identity.bootId());
        info.put("kernelVersion", identity.kernelVersion());
        info.put("osImage", identity.osImage());
        if (!info.hasNonNull(RUNTIME_VERSION)) {
            info.put(RUNTIME_VERSION, "");
        }
        info.put("kubeletVersion", version);
        info.put("kubeProxyVersion", "");
        info.put("operatingSystem", "linux");
        info.put("architecture", identity.architecture());
    }

    /**
     * The pressure conditions of a node. Pressure begins below a threshold and ends above twice the threshold, so that
     * the condition does not flap. There is no pressure for values that the machine does not report. Pure.
     */
    private enum Pressure {
        MEMORY("MemoryPressure", "HasSufficientMemory", "HasInsufficientMemory", "memory") {
            @Override
            long available(MachineResources has) {
                return has.memoryBytes() == 0 ? Long.MAX_VALUE : has.memoryAvailableBytes();
            }

            /** The kubelet's threshold. */
            @Override
            long threshold(MachineResources has) {
                return 100L << 20;
            }
        },
        DISK("DiskPressure", "HasNoDiskPressure", "HasDiskPressure", "disk space") {
            @Override
            long available(MachineResources has) {
                return has.diskBytes() == 0 ? Long.MAX_VALUE : has.diskAvailableBytes();
            }

            /**
             * What the event log needs to continue. The kubelet's 10 percent would be too much on a server full of
             * volumes.
             */
            @Override
            long threshold(MachineResources has) {
                return MachineCheck.NO_SPACE;
            }
        },
        PID("PIDPressure", "HasSufficientPID", "HasInsufficientPID", "process IDs") {
            @Override
            long available(MachineResources has) {
                return has.maxTasks() == 0 ? Long.MAX_VALUE : has.maxTasks() - has.tasks();
            }

            @Override
            long threshold(MachineResources has) {
                return has.maxTasks() / 20;
            }
        };

        private final String condition;
        private final String sufficient;
        private final String insufficient;
        private final String what;

        Pressure(String condition, String sufficient, String insufficient, String what) {
            this.condition = condition;
            this.sufficient = sufficient;
            this.insufficient = insufficient;
            this.what = what;
        }

        abstract long available(MachineResources has);

        abstract long threshold(MachineResources has);

        String condition() {
            return condition;
        }

        boolean staysUnderPressure(MachineResources has) {
            return available(has) < 2 * threshold(has);
        }

        boolean isBelowThreshold(MachineResources has) {
            return available(has) < threshold(has);
        }

        String reason(boolean pressed) {
            return "Mooring" + (pressed ? insufficient : sufficient);
        }

        String message(boolean pressed) {
            return (pressed ? "The node is low on " : "The node has enough ") + what;
        }
    }
}
