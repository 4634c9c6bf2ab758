package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Json;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.ContainerSpec.BindMount;
import dev.mooring.runtime.ContainerSpec.ContainerResources;
import dev.mooring.runtime.ContainerSpec.Device;
import dev.mooring.runtime.ContainerSpec.JoinedNamespaces;
import dev.mooring.runtime.ContainerSpec.MountAccess;
import dev.mooring.runtime.ContainerSpec.NetworkMode;
import dev.mooring.runtime.ContainerSpec.OwnNamespaces;
import dev.mooring.runtime.ContainerSpec.PidMode;
import dev.mooring.runtime.ContainerSpec.Seccomp;
import dev.mooring.runtime.ContainerSpec.Security;
import dev.mooring.runtime.EngineException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Builds the body of {@code POST /containers/create}. Omits what the spec omits, except where the engine's default
 * differs from the kubelet's behavior: restarts, image health checks, unbounded logs, swap.
 */
final class CreateContainerBody {
    private static final String LOG_BYTES = "10m";
    private static final String LOG_FILES = "5";
    private static final long CPU_PERIOD_MICROS = 100_000;
    private static final long LEAST_CPU_QUOTA_MICROS = 1_000; // the kernel's minimum
    private static final long NANOS_PER_CPU = 1_000_000_000;

    private final ContainerSpec spec;
    private final EngineCapabilities engine;
    private final ObjectNode body = Json.MAPPER.createObjectNode();
    private final ObjectNode host = Json.MAPPER.createObjectNode();

    private CreateContainerBody(ContainerSpec spec, EngineCapabilities engine) {
        this.spec = spec;
        this.engine = engine;
    }

    static ObjectNode of(ContainerSpec spec, EngineCapabilities engine) throws EngineException {
        CreateContainerBody made = new CreateContainerBody(spec, engine);
        made.process();
        made.namespaces();
        made.files();
        made.security(spec.security());
        made.resources(spec.resources());
        made.output();
        made.body.set("HostConfig", made.host);
        return made.body;
    }

    private void process() {
        body.put("Image", spec.image());
        // The engine ignores the image's Cmd without arguments only if there is an explicit entrypoint.
        DockerJson.texts(body, "Entrypoint", spec.entrypoint());
        DockerJson.texts(body, "Cmd", spec.args());
        List<String> environment = new ArrayList<>();
        spec.environment().forEach((name, value) -> environment.add(name + '=' + value));
        DockerJson.texts(body, "Env", environment);
        putUnlessEmpty(body, "WorkingDir", spec.workingDirectory());
        putUnlessEmpty(body, "StopSignal", spec.stopSignal());
        putUnlessEmpty(body, "User", spec.security().user());
        ObjectNode labels = body.putObject("Labels");
        spec.labels().forEach(labels::put);
        body.put("OpenStdin", spec.stdinSettings().stdin());
        body.put("StdinOnce", spec.stdinSettings().stdinOnce());
        body.put("Tty", spec.stdinSettings().tty());
        body.putObject("Healthcheck").putArray("Test").add("NONE");
        host.putObject("RestartPolicy").put("Name", "no");
    }

    private void namespaces() {
        if (spec.namespaces() instanceof OwnNamespaces own) {
            ownNamespaces(own);
        } else if (spec.namespaces() instanceof JoinedNamespaces joined) {
            String other = "container:" + joined.sandbox();
            host.put("NetworkMode", other);
            host.put("IpcMode", other);
            if (joined.pidMode() == PidMode.SANDBOX) {
                host.put("PidMode", other);
            } else if (joined.pidMode() == PidMode.MACHINE) {
                host.put("PidMode", "host");
            } else if (joined.pidContainer().isPresent()) {
                host.put("PidMode", "container:" + joined.pidContainer().get());
            }
        }
    }

    private void ownNamespaces(OwnNamespaces own) {
        host.put("NetworkMode", own.network() == NetworkMode.MACHINE ? "host" : "default");
        host.put("IpcMode", own.hostNamespaces().ipc() ? "host" : "shareable");
        if (own.hostNamespaces().pid()) {
            host.put("PidMode", "host");
        }
        putUnlessEmpty(body, "Hostname", own.hostName());
        own.dns().ifPresent(dns -> {
            DockerJson.texts(host, "Dns", dns.servers());
            // A dot stands for none: with an empty list the engine uses the machine's.
            DockerJson.texts(host, "DnsSearch", dns.searches().isEmpty() ? List.of(".") : dns.searches());
            DockerJson.texts(host, "DnsOptions", dns.options());
        });
        DockerJson.texts(
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
            for (BindMount bind : spec.binds()) {
                ObjectNode mount = mounts.addObject();
                mount.put("Type", "bind"); // the only type whose source the engine never creates
                mount.put("Source", bind.source().toString());
                mount.put("Target", bind.target());
                mount.put("ReadOnly", bind.access() != MountAccess.READ_WRITE);
                ObjectNode options = mount.putObject("BindOptions");
                propagation(bind).ifPresent(mode -> options.put("Propagation", mode));
                if (bind.access() == MountAccess.READ_ONLY_RECURSIVE) {
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
                        .put("CgroupPermissions", device.access() == MountAccess.READ_WRITE ? "rwm" : "r");
            }
        }
    }

    /**
     * Empty for a private mount: rprivate is the engine's default. The engine refuses an explicit rprivate if the
     * source contains its data root or lies in it; without a mode it mounts such a source as rslave.
     */
    private static Optional<String> propagation(BindMount bind) {
        return switch (bind.propagation()) {
            case PRIVATE -> Optional.empty();
            case HOST_TO_CONTAINER -> Optional.of("rslave");
            case BIDIRECTIONAL -> Optional.of("rshared");
        };
    }

    private void security(Security security) {
        DockerJson.texts(
                host,
                "GroupAdd",
                security.groups().stream().map(String::valueOf).toList());
        host.put("Privileged", security.privileged());
        host.put("ReadonlyRootfs", security.readOnlyRoot());
        DockerJson.texts(host, "CapAdd", security.addedCapabilities());
        DockerJson.texts(host, "CapDrop", security.droppedCapabilities());
        List<String> options = new ArrayList<>();
        if (!security.newPrivileges()) {
            options.add("no-new-privileges");
        }
        if (security.seccomp() == Seccomp.UNCONFINED) {
            options.add("seccomp=unconfined");
        }
        if (engine.seLinux()) {
            security.seLinux().forEach((field, value) -> options.add("label=" + field + ':' + value));
        }
        DockerJson.texts(host, "SecurityOpt", options);
        if (security.unmaskedProc()) {
            host.putArray("MaskedPaths");
            host.putArray("ReadonlyPaths");
        }
    }

    private void resources(ContainerResources resources) {
        // Not NanoCpus: the engine rejects more CPUs than the machine has, which Kubernetes allows.
        resources.cpuNanos().ifPresent(nanos -> {
            host.put("CpuPeriod", CPU_PERIOD_MICROS);
            host.put("CpuQuota", quota(nanos));
        });
        resources.cpuShares().ifPresent(shares -> host.put("CpuShares", shares));
        resources.memoryBytes().ifPresent(bytes -> {
            host.put("Memory", bytes);
            host.put("MemorySwap", bytes);
        });
        resources.pids().ifPresent(pids -> host.put("PidsLimit", pids));
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
