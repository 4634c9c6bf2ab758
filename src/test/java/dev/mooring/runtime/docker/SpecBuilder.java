package dev.mooring.runtime.docker;

import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.ContainerSpec.BindMount;
import dev.mooring.runtime.ContainerSpec.ContainerResources;
import dev.mooring.runtime.ContainerSpec.Device;
import dev.mooring.runtime.ContainerSpec.HostNamespaces;
import dev.mooring.runtime.ContainerSpec.MountAccess;
import dev.mooring.runtime.ContainerSpec.Namespaces;
import dev.mooring.runtime.ContainerSpec.NetworkMode;
import dev.mooring.runtime.ContainerSpec.OwnNamespaces;
import dev.mooring.runtime.ContainerSpec.Port;
import dev.mooring.runtime.ContainerSpec.Propagation;
import dev.mooring.runtime.ContainerSpec.Security;
import dev.mooring.runtime.ContainerSpec.StdinSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Builder of container specs for tests; without options, a container that runs {@code true}. */
final class SpecBuilder {
    private final String name;
    private final Map<String, String> labels;
    private final Map<String, String> environment = new LinkedHashMap<>();
    private final List<BindMount> binds = new ArrayList<>();
    private final List<Device> devices = new ArrayList<>();
    private String image = "busybox:latest";
    private List<String> entrypoint = List.of();
    private List<String> args = List.of("true");
    private String workingDirectory = "";
    private Namespaces namespaces = own(List.of());
    private Security security = Security.PLAIN;
    private ContainerResources resources = ContainerResources.PLAIN;

    SpecBuilder(String name, Map<String, String> labels) {
        this.name = name;
        this.labels = labels;
    }

    static OwnNamespaces own(List<Port> ports) {
        return new OwnNamespaces(
                NetworkMode.OWN, new HostNamespaces(false, false), "", Optional.empty(), List.of(), ports, Map.of());
    }

    SpecBuilder image(String reference) {
        this.image = reference;
        return this;
    }

    SpecBuilder shell(String script) {
        return command("sh", "-c", script);
    }

    SpecBuilder command(String... command) {
        this.entrypoint = List.of(command);
        this.args = List.of();
        return this;
    }

    /** Arguments after the command, if there is one. */
    SpecBuilder args(String... arguments) {
        this.args = List.of(arguments);
        return this;
    }

    SpecBuilder environment(String key, String value) {
        environment.put(key, value);
        return this;
    }

    SpecBuilder workingDirectory(String path) {
        this.workingDirectory = path;
        return this;
    }

    SpecBuilder in(Namespaces target) {
        this.namespaces = target;
        return this;
    }

    SpecBuilder bind(Path source, String target, MountAccess access) {
        return bind(source, target, access, Propagation.PRIVATE);
    }

    SpecBuilder bind(Path source, String target, MountAccess access, Propagation propagation) {
        binds.add(new BindMount(source, target, access, propagation));
        return this;
    }

    SpecBuilder device(Path source, String target, MountAccess access) {
        devices.add(new Device(source, target, access));
        return this;
    }

    SpecBuilder security(Security settings) {
        this.security = settings;
        return this;
    }

    SpecBuilder resources(ContainerResources limits) {
        this.resources = limits;
        return this;
    }

    ContainerSpec spec() {
        return new ContainerSpec(
                name,
                image,
                entrypoint,
                args,
                environment,
                workingDirectory,
                labels,
                namespaces,
                binds,
                devices,
                security,
                resources,
                StdinSettings.NONE,
                "");
    }
}
