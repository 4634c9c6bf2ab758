package dev.mooring.volume.host;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.host.GuardedPlaces;
import dev.mooring.model.host.HostPathGrant;
import dev.mooring.volume.Lane;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.SetUpDone.Remark;
import dev.mooring.volume.TearDown;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePluginProvider;
import dev.mooring.volume.VolumePlugins;
import dev.mooring.volume.VolumeSpec;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/**
 * {@code hostPath}: a path of the machine is handed to containers as it is. Nothing of it is ever deleted; a group is never set. It is
 * only looked at, and made if the Pod asks for that or says nothing at all: what container runtimes then do differs, so here it is always
 * a directory, and the Pod is told. Where the Pod was granted only what lies below some prefixes, what was found there is bound to a place of
 * the Pod's own ({@link Confinement}), and that is handed out; otherwise nothing is mounted. Any thread.
 */
public final class HostPathPlugin implements VolumePlugin {
    public static final String NAME = "kubernetes.io/host-path";

    /** Found by {@link java.util.ServiceLoader}. */
    public static final class Provider implements VolumePluginProvider {
        @Override
        public VolumePlugin create(PluginParts parts) {
            return new HostPathPlugin(parts);
        }
    }

    private final HostFiles files;
    private final HostFileMaker maker;
    private final OwnPlaces own;
    private final Confinement confinement;

    public HostPathPlugin(PluginParts parts) {
        this(parts, GuardedPlaces.usual());
    }

    /** @param guarded what nobody may have, besides the directories of the layout */
    public HostPathPlugin(PluginParts parts, GuardedPlaces guarded) {
        this.files = new HostFiles(parts);
        this.maker = new HostFileMaker(parts);
        this.own = new OwnPlaces(parts.layout(), guarded);
        this.confinement = new Confinement(parts, files);
    }

    /** The same plugins, of which this one guards what the administrator says. */
    public static VolumePlugins guarding(GuardedPlaces guarded, VolumePlugins plugins, PluginParts parts) {
        return new VolumePlugins(plugins.all().stream()
                .map(each -> each instanceof HostPathPlugin ? new HostPathPlugin(parts, guarded) : each)
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
    public Lane lane(VolumeSpec volume) {
        return HostFiles.lane(volume.source().path("hostPath").path("path").asText());
    }

    @Override
    public SetUpDone setUp(SetUp what, Progress progress) throws VolumeException, InterruptedException {
        JsonNode source = what.volume().source().path("hostPath");
        Path path = path(source.path("path").asText());
        String text = source.path("type").asText("");
        HostPathType type = HostPathType.of(text)
                .orElseThrow(() -> VolumeException.clean("InvalidType", text + " is an invalid volume type"));
        HostPathGrant grant = grant(what);
        Sight sight = look(path, grant);
        List<Remark> remarks = List.of();
        if (!type.accepts(sight.kind())) {
            if (sight.kind() != FileKind.MISSING || type.missing() == HostPathType.Missing.IS_AN_ERROR) {
                throw wrongKind(path, type, sight);
            }
            make(type, sight);
            // Somebody else may have been faster, with something else.
            sight = look(path, grant);
            if (!type.accepts(sight.kind())) {
                throw wrongKind(path, type, sight);
            }
            remarks = type == HostPathType.UNSET ? List.of(created(path)) : List.of();
        }
        return grant.isAnywhere()
                ? new SetUpDone(path, "", List.of(), remarks)
                : confinement.bind(what, path, sight, remarks);
    }

    /**
     * What the Pod may have here. A PersistentVolume is an admin's or a provisioner's own; what the Pod itself names was granted to whoever
     * created it, and is nothing if that was never decided.
     */
    private static HostPathGrant grant(SetUp what) throws VolumeException {
        boolean isOfPod = false;
        for (JsonNode each : what.podObject().path("spec").path("volumes")) {
            isOfPod |= each.path("name").asText().equals(what.volume().name())
                    && each.path("hostPath").isObject();
        }
        if (!isOfPod) {
            return HostPathGrant.ofAdmin();
        }
        return HostPathGrant.of(what.podObject())
                .orElseThrow(() -> VolumeException.clean(
                        "Refused",
                        "nobody has granted the Pod any path of this machine: it has no annotation "
                                + HostPathGrant.ANNOTATION + ", which the server writes when a Pod is created; create"
                                + " it anew"));
    }

    private Sight look(Path path, HostPathGrant grant) throws VolumeException, InterruptedException {
        Sight sight = files.look(path);
        own.refuse(path, sight.real());
        if (!grant.isAnywhere()) {
            confinement.mustBeWithin(path, sight, grant);
        }
        return sight;
    }

    private void make(HostPathType type, Sight missing) throws VolumeException, InterruptedException {
        if (type.missing() == HostPathType.Missing.FILE_IS_MADE) {
            maker.makeFile(missing);
        } else {
            maker.makeDirectory(missing);
        }
    }

    private static Remark created(Path path) {
        return new Remark(
                "HostPathCreated",
                "hostPath " + path
                        + " did not exist: an empty directory was created there. If a file was meant, or it should have"
                        + " been there, set hostPath.type so that this is checked");
    }

    private static VolumeException wrongKind(Path path, HostPathType type, Sight sight) {
        return VolumeException.clean(
                sight.exists() ? "WrongType" : "NotFound",
                "hostPath type check failed: " + path + " is not " + type.words() + ": found " + sight.words());
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

    /** What may have been made is the user's now; only a view of it goes. */
    @Override
    public void tearDown(TearDown what, Progress progress) throws VolumeException, InterruptedException {
        confinement.release(what.target(), progress);
    }
}
