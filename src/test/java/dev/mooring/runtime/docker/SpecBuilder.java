package dev.mooring.runtime.docker;

import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.ContainerSpec.Access;
import dev.mooring.runtime.ContainerSpec.Bind;
import dev.mooring.runtime.ContainerSpec.Device;
import dev.mooring.runtime.ContainerSpec.HostProcesses;
import dev.mooring.runtime.ContainerSpec.Network;
import dev.mooring.runtime.ContainerSpec.Own;
import dev.mooring.runtime.ContainerSpec.Port;
import dev.mooring.runtime.ContainerSpec.Propagation;
import dev.mooring.runtime.ContainerSpec.Resources;
import dev.mooring.runtime.ContainerSpec.Security;
import dev.mooring.runtime.ContainerSpec.Surroundings;
import dev.mooring.runtime.ContainerSpec.Terminal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A container to be made by a test; plain unless said otherwise. */
final class SpecBuilder {
    private final String name;
    private final Map<String, String> labels;
    private final Map<String, String> environment = new LinkedHashMap<>();
    private final List<Bind> binds = new ArrayList<>();
    private final List<Device> devices = new ArrayList<>();
    private String image = "busybox:latest";
    private List<String> entrypoint = List.of();
    private List<String> args = List.of("true");
    private String workingDirectory = "";
    private Surroundings surroundings = own(List.of());
    private Security security = Security.PLAIN;
    private Resources resources = Resources.PLAIN;

    SpecBuilder(String name, Map<String, String> labels) {
        this.name = name;
        this.labels = labels;
    }

    static Own own(List<Port> ports) {
        return new Own(Network.OWN, new HostProcesses(false, false), "", Optional.empty(), List.of(), ports, Map.of());
    }

    SpecBuilder image(String reference) {
        this.image = reference;
        return this;
    }

    SpecBuilder shell(String script) {
        return command("sh", "-c", script);
    }

    SpecBuilder command(String... words) {
        this.entrypoint = List.of(words);
        this.args = List.of();
        return this;
    }

    /** After the command, if there is one. */
    SpecBuilder args(String... words) {
        this.args = List.of(words);
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

    SpecBuilder in(Surroundings where) {
        this.surroundings = where;
        return this;
    }

    SpecBuilder bind(Path source, String target, Access access) {
        binds.add(new Bind(source, target, access, Propagation.PRIVATE));
        return this;
    }

    SpecBuilder device(Path source, String target, Access access) {
        devices.add(new Device(source, target, access));
        return this;
    }

    SpecBuilder security(Security what) {
        this.security = what;
        return this;
    }

    SpecBuilder resources(Resources what) {
        this.resources = what;
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
                surroundings,
                binds,
                devices,
                security,
                resources,
                Terminal.NONE,
                "");
    }
}
