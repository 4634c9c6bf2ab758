package dev.mooring.server;

import dev.mooring.api.VersionInfo;
import dev.mooring.host.KernelClock;
import dev.mooring.model.view.SourceType;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.node.status.LinuxMachine;
import dev.mooring.node.status.MachineCheck;
import dev.mooring.node.status.RuntimeStatusHolder.RuntimeStatus;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.docker.DockerRuntime;
import dev.mooring.runtime.docker.DockerSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Reads this machine with the settings of a server, for the Node's status and for {@code mooring check}. */
public final class MachineInspector {
    private static final Duration ENGINE_DEADLINE = Duration.ofSeconds(5);

    private MachineInspector() {}

    /** Returns the checks of this machine. Asks the container engine; blocks. */
    public static List<MachineCheck> checks(Settings settings, Clock clock) throws IOException, InterruptedException {
        return MachineCheck.of(machine(settings, clock).read(), engine(settings.containers()));
    }

    /** Returns the reader of this machine's state. */
    static LinuxMachine machine(Settings settings, Clock clock) {
        return new LinuxMachine(
                NodeAgent.real(settings.data()),
                volumeBases(NodeAgent.real(settings.volumes().base())),
                new LinuxMachine.VolumeHost(
                        NodeAgent.real(settings.volumes().root()), built(), clock, KernelClock::isSynchronized));
    }

    private static Instant built() {
        try {
            return OffsetDateTime.parse(VersionInfo.ofThisBuild().buildDate()).toInstant();
        } catch (DateTimeParseException e) {
            return Instant.EPOCH; // not built from a repository
        }
    }

    /** Returns the default base directory of each provisioner that creates volumes on this node. */
    private static Map<String, Path> volumeBases(Path base) {
        return SourceTypes.all().stream()
                .filter(SourceType::isNodeBound)
                .flatMap(type -> type.provisioner().stream())
                .map(name -> name.substring(name.indexOf('/') + 1))
                .collect(Collectors.toMap(kind -> kind, base::resolve));
    }

    private static RuntimeStatus engine(Settings.ContainerSettings settings) throws InterruptedException {
        if (settings.runtime() == Settings.ContainerSettings.Runtime.NONE) {
            return new RuntimeStatus.Disabled();
        }
        DockerSettings docker = new DockerSettings(settings.host(), settings.tlsDirectory(), ENGINE_DEADLINE);
        try (DockerRuntime runtime = DockerRuntime.connect(docker)) {
            return new RuntimeStatus.Present(runtime.info().runtimeVersion());
        } catch (EngineException e) {
            return new RuntimeStatus.Absent(e.getMessage());
        }
    }
}
