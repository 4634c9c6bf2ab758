package dev.mooring.volume.hostpath;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.EventReasons;
import dev.mooring.model.HostPathGrant;
import dev.mooring.model.ProtectedHostPaths;
import dev.mooring.volume.BindSettings.Depth;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.SetUpResult.SetUpEvent;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePluginProvider;
import dev.mooring.volume.VolumePlugins;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.WorkerPoolKey;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Plugin for {@code hostPath} volumes. Never deletes anything and never sets a group. Creates the path if the type asks
 * for it, or as a directory if no type is given (container runtimes differ there), and reports that as an Event. For
 * PersistentVolumes, and for Pods that are restricted to prefixes, the found path is bound to a path of the Pod
 * ({@link Confinement}); Pods of admins get the path itself. Thread-safe.
 */
public final class HostPathPlugin implements VolumePlugin {
    public static final String NAME = "kubernetes.io/host-path";

    private static final List<String> MOUNT_OPTIONS = List.of("suid", "nosuid", "dev", "nodev");

    /** Found by {@link java.util.ServiceLoader}. */
    public static final class Provider implements VolumePluginProvider {
        @Override
        public VolumePlugin create(PluginContext context) {
            return new HostPathPlugin(context);
        }
    }

    private final HostPathInspector inspector;
    private final HostPathCreator creator;
    private final GuardedPathCheck guardedPaths;
    private final Confinement confinement;
    private final Path root;

    public HostPathPlugin(PluginContext context) {
        this(context, ProtectedHostPaths.defaults());
    }

    /**
     * Creates the plugin.
     *
     * @param guarded protected paths in addition to the directories of the layout
     */
    public HostPathPlugin(PluginContext context, ProtectedHostPaths guarded) {
        this.inspector = new HostPathInspector(context);
        this.creator = new HostPathCreator(context);
        this.guardedPaths = new GuardedPathCheck(context.layout(), guarded);
        this.confinement = new Confinement(context, inspector);
        this.root = context.layout().root();
    }

    /** Returns the plugins with a hostPath plugin that protects the configured paths. */
    public static VolumePlugins withGuardedPaths(
            ProtectedHostPaths guarded, VolumePlugins plugins, PluginContext context) {
        return new VolumePlugins(plugins.all().stream()
                .map(each -> each instanceof HostPathPlugin ? new HostPathPlugin(context, guarded) : each)
                .toList());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean supports(JsonNode source) {
        return source.path("hostPath").isObject();
    }

    @Override
    public WorkerPoolKey workerPool(VolumeSpec volume) {
        return HostPathInspector.workerPool(
                volume.source().path("hostPath").path("path").asText());
    }

    @Override
    public Optional<String> mountOptionsError(List<String> mountOptions) {
        return mountOptions.stream()
                .filter(each -> !MOUNT_OPTIONS.contains(each))
                .findFirst()
                .map(each -> "unsupported volume type: " + NAME + " takes no mountOptions but "
                        + String.join(", ", MOUNT_OPTIONS) + ": found " + each);
    }

    @Override
    public SetUpResult setUp(SetUpRequest request, OperationProgress progress)
            throws VolumeException, InterruptedException {
        JsonNode source = request.volume().source().path("hostPath");
        Path path = path(source.path("path").asText());
        String text = source.path("type").asText("");
        HostPathType type = HostPathType.of(text)
                .orElseThrow(() -> VolumeException.clean("InvalidType", text + " is an invalid volume type"));
        Optional<HostPathGrant> grant = grant(request);
        ObservedPath observed = inspect(path, grant);
        List<SetUpEvent> events = List.of();
        if (!type.accepts(observed.kind())) {
            if (observed.kind() != FileKind.MISSING || type.missing() == HostPathType.MissingPathAction.IS_AN_ERROR) {
                throw wrongKind(path, type, observed);
            }
            make(type, observed);
            // Another process may have created something else meanwhile.
            observed = inspect(path, grant);
            if (!type.accepts(observed.kind())) {
                throw wrongKind(path, type, observed);
            }
            events = type == HostPathType.UNSET ? List.of(created(path)) : List.of();
        }
        if (isHandedOver(observed, grant)) {
            return new SetUpResult(path, "", List.of(), events);
        }
        Depth depth = grant.isPresent() ? Depth.ALONE : Depth.WITH_MOUNTS_BELOW;
        SetUpResult done = confinement.bind(request, path, observed, depth, progress);
        return new SetUpResult(done.path(), done.source(), done.options(), events);
    }

    /**
     * Returns whether containers get the path itself: for Pods of admins, and for paths that contain Mooring's root,
     * which no Pod can have changed and which cannot be bound below themselves.
     */
    private boolean isHandedOver(ObservedPath observed, Optional<HostPathGrant> grant) {
        return grant.map(HostPathGrant::isAnywhere).orElse(root.startsWith(observed.real()));
    }

    /**
     * Returns the grant of the Pod's creator, for a path that the Pod itself names; fails if no grant was recorded.
     * Empty for a PersistentVolume, which only admins and provisioners create.
     */
    private static Optional<HostPathGrant> grant(SetUpRequest request) throws VolumeException {
        boolean isOfPod = false;
        for (JsonNode each : request.podObject().path("spec").path("volumes")) {
            isOfPod |= each.path("name").asText().equals(request.volume().name())
                    && each.path("hostPath").isObject();
        }
        if (!isOfPod) {
            return Optional.empty();
        }
        return Optional.of(HostPathGrant.of(request.podObject())
                .orElseThrow(() -> VolumeException.clean(
                        "Refused",
                        "the Pod was not granted any path of this machine: it has no annotation "
                                + HostPathGrant.ANNOTATION + ", which the server sets when a Pod is created; recreate"
                                + " it")));
    }

    private ObservedPath inspect(Path path, Optional<HostPathGrant> grant)
            throws VolumeException, InterruptedException {
        ObservedPath observed =
                grant.isPresent() ? inspector.inspect(path) : inspector.inspectGuarded(path, guardedPaths);
        guardedPaths.requireNotGuarded(path, observed.real());
        if (grant.isPresent() && !grant.get().isAnywhere()) {
            confinement.requireWithin(path, observed, grant.get());
        }
        return observed;
    }

    private void make(HostPathType type, ObservedPath missing) throws VolumeException, InterruptedException {
        if (type.missing() == HostPathType.MissingPathAction.FILE_IS_MADE) {
            creator.makeFile(missing);
        } else {
            creator.makeDirectory(missing);
        }
    }

    private static SetUpEvent created(Path path) {
        return new SetUpEvent(
                EventReasons.HOST_PATH_CREATED,
                "hostPath " + path
                        + " did not exist: an empty directory was created there. If a file was meant, or it should have"
                        + " been there, set hostPath.type so that this is checked");
    }

    private static VolumeException wrongKind(Path path, HostPathType type, ObservedPath observed) {
        return VolumeException.clean(
                observed.exists() ? "WrongType" : "NotFound",
                "hostPath type check failed: " + path + " is not " + type.description() + ": found "
                        + observed.description());
    }

    private static Path path(String text) throws VolumeException {
        for (String name : text.split("/", -1)) {
            if (name.equals("..")) {
                throw VolumeException.clean(
                        "InvalidPath", "invalid HostPath `" + text.replace("\0", "\\0") + "`: must not contain '..'");
            }
        }
        try {
            Path path = Path.of(text);
            if (path.isAbsolute()) {
                return path.normalize();
            }
        } catch (InvalidPathException e) {
            throw VolumeException.clean(
                    "InvalidPath", "invalid HostPath `" + text.replace("\0", "\\0") + "`: " + e.getReason());
        }
        throw VolumeException.clean("InvalidPath", "invalid HostPath `" + text + "`: must be an absolute path");
    }

    /** Removes the bind mount, if any. Created directories and files belong to the user and stay. */
    @Override
    public void tearDown(TearDownRequest request, OperationProgress progress)
            throws VolumeException, InterruptedException {
        confinement.release(request.target(), progress);
    }
}
