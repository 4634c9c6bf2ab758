package dev.mooring.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.view.SourceType;
import dev.mooring.model.view.SourceTypes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Forbids code that knows a source type by name outside the type's descriptor and its plugin. A file knows a type if it
 * has its field, plugin or provisioner as a string, or uses its descriptor or a class of its plugin's package.
 */
class SourceTypeNamesTest {
    private static final Path SOURCES = Path.of("src/main/java/dev/mooring");

    /** Plugins and descriptors: the owners of the types. */
    private static final Pattern OWNERS = Pattern.compile(
            "volume/(nfs|hostpath|local|block|emptydir|content)/.*|model/view/(\\w+Source|ObjectSources)\\.java");

    private static final String KUBERNETES = "Kubernetes fixes the fields, the rules and their wording";
    private static final String CLASSES = "names of the StorageClasses that exist from the start";
    private static final String MINIK8S = "conversion of Minik8s manifests, whose volume types are fixed";
    private static final String PROVISIONER = "part of the type's provisioner";
    private static final String DISCOVERY = "discovery offers disks as local volumes";
    private static final String CSI = "csi is the interface to all drivers, also external ones";
    private static final String SETTINGS = "passes the settings of the type to its descriptor or plugin";
    private static final String ENVIRONMENT = "environment variables, not volumes";
    private static final String OTHER_MEANING = "the text has another meaning here";

    private static final Map<String, String> ALLOWED = Map.ofEntries(
            Map.entry("api/auth/ServiceAccountTokens.java", OTHER_MEANING),
            Map.entry("api/policy/PodSecurity.java", KUBERNETES),
            Map.entry("api/policy/UnsupportedPodFields.java", KUBERNETES),
            Map.entry("api/resource/BootstrapObjects.java", CLASSES),
            Map.entry("api/resource/NodeRestriction.java", CSI),
            Map.entry("api/rules/BuiltInStorageClass.java", CLASSES),
            Map.entry("api/rules/Minik8sConversion.java", MINIK8S),
            Map.entry("api/rules/PersistentVolumeRules.java", KUBERNETES),
            Map.entry("api/rules/PersistentVolumeSourceRules.java", KUBERNETES),
            Map.entry("api/rules/VolumeAttachmentRules.java", KUBERNETES),
            Map.entry("api/rules/pod/EnvironmentRules.java", KUBERNETES),
            Map.entry("api/rules/pod/Minik8sPodConversion.java", MINIK8S),
            Map.entry("api/rules/pod/PodSpecRules.java", KUBERNETES),
            Map.entry("api/rules/pod/PodVolumeSourceRule.java", KUBERNETES),
            Map.entry("api/rules/pod/ProjectedSourceRules.java", KUBERNETES),
            Map.entry("api/rules/pod/PodDefaults.java", KUBERNETES),
            Map.entry("cli/AdoptCommand.java", "volume types of Docker, whose options are converted"),
            Map.entry("control/attach/CsiVolume.java", CSI),
            Map.entry("host/MountTable.java", OTHER_MEANING),
            Map.entry("model/view/PodReferences.java", KUBERNETES),
            Map.entry("model/view/Volume.java", CSI),
            Map.entry("node/container/ConfigAndSecretValues.java", ENVIRONMENT),
            Map.entry("node/container/ContainerEnvironment.java", ENVIRONMENT),
            Map.entry("node/network/ClusterDns.java", OTHER_MEANING),
            Map.entry("node/network/ServiceNetwork.java", OTHER_MEANING),
            Map.entry("node/status/AttachmentReport.java", CSI),
            Map.entry("node/volumemanager/AttachmentStatusReporter.java", CSI),
            Map.entry("node/volumemanager/DiscoveredReclaimer.java", DISCOVERY),
            Map.entry("node/volumemanager/LocalPersistentVolume.java", DISCOVERY),
            Map.entry("node/volumemanager/PluginSource.java", KUBERNETES),
            Map.entry("node/volumemanager/Recovery.java", "mounts that an earlier version made"),
            Map.entry("replay/explain/MissingReferences.java", KUBERNETES),
            Map.entry("runtime/docker/EngineCapabilities.java", OTHER_MEANING),
            Map.entry("server/Controllers.java", SETTINGS),
            Map.entry("server/NodeVolumeManager.java", SETTINGS),
            Map.entry("volume/MountProgram.java", OTHER_MEANING),
            Map.entry("volume/WorkerPoolKey.java", OTHER_MEANING),
            Map.entry("volume/work/BlockWorker.java", PROVISIONER),
            Map.entry("volume/work/DirectoryWorker.java", PROVISIONER),
            Map.entry("volume/work/NfsLocation.java", PROVISIONER),
            Map.entry("volume/work/NfsWorker.java", PROVISIONER),
            Map.entry("volume/work/TemporaryMount.java", PROVISIONER),
            Map.entry("volumedriver/VolumeDriver.java", OTHER_MEANING));

    @Test
    void sourceTypes_outsideTheirOwners_areKnownOnlyWhereAllowed() throws IOException {
        Map<String, List<String>> found = new TreeMap<>();
        try (Stream<Path> files = Files.walk(SOURCES)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".java"))
                    .sorted()
                    .toList()) {
                String name = SOURCES.relativize(file).toString();
                List<String> lines = lines(file);
                if (!lines.isEmpty() && !OWNERS.matcher(name).matches()) {
                    found.put(name, lines);
                }
            }
        }
        Set<String> unexpected = new TreeSet<>(found.keySet());
        unexpected.removeAll(ALLOWED.keySet());
        assertThat(unexpected)
                .as("files that should ask a SourceType instead, of %s", found)
                .isEmpty();
        assertThat(found.keySet()).as("allowed files").containsExactlyInAnyOrderElementsOf(ALLOWED.keySet());
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .map(String::strip)
                .filter(line -> !line.startsWith("*") && !line.startsWith("/"))
                .filter(line -> NAMES.matcher(line).find())
                .toList();
    }

    private static final Pattern NAMES = names();

    private static Pattern names() {
        String strings = SourceTypes.all().stream()
                .flatMap(type -> Stream.concat(Stream.of(type.field(), type.plugin()), type.provisioner().stream()))
                .distinct()
                .map(Pattern::quote)
                .collect(Collectors.joining("|"));
        String descriptors = SourceTypes.all().stream()
                .map(SourceType::getClass)
                .map(type -> type.isMemberClass() ? type.getEnclosingClass() : type)
                .map(Class::getSimpleName)
                .distinct()
                .collect(Collectors.joining("|"));
        return Pattern.compile("\"(" + strings + ")\"|\\b(" + descriptors + "|StorageNames\\.BLOCK_\\w+)\\b"
                + "|^import dev\\.mooring\\.volume\\.(nfs|hostpath|local|block|emptydir|content)\\.");
    }
}
