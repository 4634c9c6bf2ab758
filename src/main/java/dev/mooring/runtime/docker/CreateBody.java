package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.ContainerSpec.Access;
import dev.mooring.runtime.ContainerSpec.Bind;
import dev.mooring.runtime.ContainerSpec.Device;
import dev.mooring.runtime.ContainerSpec.Joined;
import dev.mooring.runtime.ContainerSpec.Network;
import dev.mooring.runtime.ContainerSpec.Own;
import dev.mooring.runtime.ContainerSpec.Processes;
import dev.mooring.runtime.ContainerSpec.Resources;
import dev.mooring.runtime.ContainerSpec.Seccomp;
import dev.mooring.runtime.ContainerSpec.Security;
import dev.mooring.runtime.EngineException;
import java.util.ArrayList;
import java.util.List;

/**
 * A container to be made, in the engine's words: the body of {@code POST /containers/create}. Says nothing where the specification says nothing,
 * except where the engine would then do what a kubelet does not: restart, check the image's idea of health, fill the disk with output, swap.
 */
final class CreateBody {
    private static final String LOG_BYTES = "10m";
    private static final String LOG_FILES = "5";
    private static final long CPU_PERIOD_MICROS = 100_000;
    private static final long LEAST_CPU_QUOTA_MICROS = 1_000; // the kernel's
    private static final long NANOS_PER_CPU = 1_000_000_000;

    private final ContainerSpec spec;
    private final EngineTraits engine;
    private final ObjectNode body = Json.object();
    private final ObjectNode host = Json.object();

    private CreateBody(ContainerSpec spec, EngineTraits engine) {
        this.spec = spec;
        this.engine = engine;
    }

    static ObjectNode of(ContainerSpec spec, EngineTraits engine) throws EngineException {
        CreateBody made = new CreateBody(spec, engine);
        made.process();
        made.surroundings();
        made.files();
        made.security(spec.security());
        made.resources(spec.resources());
        made.output();
        made.body.set("HostConfig", made.host);
        return made.body;
    }

    private void process() {
        body.put("Image", spec.image());
        // Only with an entrypoint of its own does the engine leave out the image's Cmd when there are no arguments.
        Json.texts(body, "Entrypoint", spec.entrypoint());
        Json.texts(body, "Cmd", spec.args());
        List<String> environment = new ArrayList<>();
        spec.environment().forEach((name, value) -> environment.add(name + '=' + value));
        Json.texts(body, "Env", environment);
        putUnlessEmpty(body, "WorkingDir", spec.workingDirectory());
        putUnlessEmpty(body, "StopSignal", spec.stopSignal());
        putUnlessEmpty(body, "User", spec.security().user());
        ObjectNode labels = body.putObject("Labels");
        spec.labels().forEach(labels::put);
        body.put("OpenStdin", spec.terminal().stdin());
        body.put("StdinOnce", spec.terminal().once());
        body.put("Tty", spec.terminal().tty());
        body.putObject("Healthcheck").putArray("Test").add("NONE");
        host.putObject("RestartPolicy").put("Name", "no");
    }

    private void surroundings() {
        if (spec.surroundings() instanceof Own own) {
            own(own);
        } else if (spec.surroundings() instanceof Joined joined) {
            String other = "container:" + joined.sandbox();
            host.put("NetworkMode", other);
            host.put("IpcMode", other);
            if (joined.processes() == Processes.SANDBOX) {
                host.put("PidMode", other);
            } else if (joined.processes() == Processes.MACHINE) {
                host.put("PidMode", "host");
            }
        }
    }

    private void own(Own own) {
        host.put("NetworkMode", own.network() == Network.MACHINE ? "host" : "default");
        host.put("IpcMode", own.processes().ipc() ? "host" : "shareable");
        if (own.processes().pid()) {
            host.put("PidMode", "host");
        }
        putUnlessEmpty(body, "Hostname", own.hostName());
        own.dns().ifPresent(dns -> {
            Json.texts(host, "Dns", dns.servers());
            // A dot stands for none: with nothing the engine takes the machine's.
            Json.texts(host, "DnsSearch", dns.searches().isEmpty() ? List.of(".") : dns.searches());
            Json.texts(host, "DnsOptions", dns.options());
        });
        Json.texts(
                host,
                "ExtraHosts",
                own.hosts().stream()
                        .map(alias -> alias.name() + ':' + alias.address())
                        .toList());
        if (!own.ports().isEmpty()) {
            ObjectNode exposed = body.putObject("ExposedPorts");
            ObjectNode bindings = host.putObject("PortBindings");
            for (ContainerSpec.Port port : own.ports()) {
                String key = port.container() + "/" + port.protocol();
                exposed.putObject(key);
                bindings.withArray(key)
                        .addObject()
                        .put("HostIp", port.hostAddress())
                        .put("HostPort", Integer.toString(port.host()));
            }
        }
        if (!own.sysctls().isEmpty()) {
            ObjectNode sysctls = host.putObject("Sysctls");
            own.sysctls().forEach(sysctls::put);
        }
    }

    private void files() throws EngineException {
        if (!spec.binds().isEmpty()) {
            var mounts = host.putArray("Mounts");
            for (Bind bind : spec.binds()) {
                ObjectNode mount = mounts.addObject();
                mount.put("Type", "bind"); // the only kind whose source the engine never makes
                mount.put("Source", bind.source().toString());
                mount.put("Target", bind.target());
                mount.put("ReadOnly", bind.access() != Access.READ_WRITE);
                ObjectNode options = mount.putObject("BindOptions");
                options.put("Propagation", propagation(bind));
                if (bind.access() == Access.READ_ONLY_RECURSIVE) {
                    if (!engine.hasRecursiveReadOnly()) {
                        throw new EngineException(
                                EngineException.Kind.REFUSED,
                                "recursive read-only mount of " + bind.target()
                                        + " needs Docker 25 or newer, but this is "
                                        + engine.info().version());
                    }
                    options.put("ReadOnlyForceRecursive", true);
                }
            }
        }
        if (!spec.devices().isEmpty()) {
            var devices = host.putArray("Devices");
            for (Device device : spec.devices()) {
                devices.addObject()
                        .put("PathOnHost", device.source().toString())
                        .put("PathInContainer", device.target())
                        .put("CgroupPermissions", device.access() == Access.READ_WRITE ? "rwm" : "r");
            }
        }
    }

    private static String propagation(Bind bind) {
        return switch (bind.propagation()) {
            case PRIVATE -> "rprivate";
            case HOST_TO_CONTAINER -> "rslave";
            case BIDIRECTIONAL -> "rshared";
        };
    }

    private void security(Security security) {
        Json.texts(
                host,
                "GroupAdd",
                security.groups().stream().map(String::valueOf).toList());
        host.put("Privileged", security.privileged());
        host.put("ReadonlyRootfs", security.readOnlyRoot());
        Json.texts(host, "CapAdd", security.addedCapabilities());
        Json.texts(host, "CapDrop", security.droppedCapabilities());
        List<String> options = new ArrayList<>();
        if (!security.newPrivileges()) {
            options.add("no-new-privileges");
        }
        if (security.seccomp() == Seccomp.UNCONFINED) {
            options.add("seccomp=unconfined");
        }
        Json.texts(host, "SecurityOpt", options);
        if (security.unmaskedProc()) {
            host.putArray("MaskedPaths");
            host.putArray("ReadonlyPaths");
        }
    }

    private void resources(Resources resources) {
        // Not NanoCpus: the engine refuses more of them than the machine has, which Kubernetes allows.
        resources.cpuNanos().ifPresent(nanos -> {
            host.put("CpuPeriod", CPU_PERIOD_MICROS);
            host.put("CpuQuota", quota(nanos));
        });
        resources.cpuShares().ifPresent(shares -> host.put("CpuShares", shares));
        resources.memoryBytes().ifPresent(bytes -> {
            host.put("Memory", bytes);
            host.put("MemorySwap", bytes);
        });
        resources.oomScore().ifPresent(score -> host.put("OomScoreAdj", score));
        resources.sharedMemoryBytes().ifPresent(bytes -> host.put("ShmSize", bytes));
    }

    private static long quota(long nanos) {
        return Math.max(LEAST_CPU_QUOTA_MICROS, nanos / (NANOS_PER_CPU / CPU_PERIOD_MICROS));
    }

    private void output() {
        if (!engine.hasGoodLogDriver()) {
            host.putObject("LogConfig")
                    .put("Type", "json-file")
                    .putObject("Config")
                    .put("max-size", LOG_BYTES)
                    .put("max-file", LOG_FILES);
        }
    }

    private static void putUnlessEmpty(ObjectNode parent, String field, String value) {
        if (!value.isEmpty()) {
            parent.put(field, value);
        }
    }
}
