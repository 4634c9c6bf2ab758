package dev.mooring.volume.host;

import com.fasterxml.jackson.databind.JsonNode;
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
import dev.mooring.volume.VolumeSpec;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/**
 * {@code hostPath}: a path of the machine is handed to containers as it is. Nothing is mounted, so there is nothing to undo, and nothing
 * of it is ever deleted; a group is never set. It is only looked at, and made if the Pod asks for that or says nothing at all: what
 * container runtimes then do differs, so here it is always a directory, and the Pod is told. Any thread.
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

    public HostPathPlugin(PluginParts parts) {
        this.files = new HostFiles(parts);
        this.maker = new HostFileMaker(parts);
        this.own = new OwnPlaces(parts.layout());
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
        Sight sight = files.look(path);
        own.refuse(path, sight.real());
        if (type.accepts(sight.kind())) {
            return SetUpDone.at(path);
        }
        if (sight.kind() != FileKind.MISSING || type.missing() == HostPathType.Missing.IS_AN_ERROR) {
            throw wrongKind(path, type, sight);
        }
        return make(path, type, sight);
    }

    private SetUpDone make(Path path, HostPathType type, Sight missing) throws VolumeException, InterruptedException {
        if (type.missing() == HostPathType.Missing.FILE_IS_MADE) {
            maker.makeFile(missing);
        } else {
            maker.makeDirectory(missing);
        }
        // Somebody else may have been faster, with something else.
        Sight made = files.look(path);
        own.refuse(path, made.real());
        if (!type.accepts(made.kind())) {
            throw wrongKind(path, type, made);
        }
        if (type != HostPathType.UNSET) {
            return SetUpDone.at(path);
        }
        Remark remark = new Remark(
                "HostPathCreated",
                "hostPath " + path
                        + " did not exist: an empty directory was created there. If a file was meant, or it should have"
                        + " been there, set hostPath.type so that this is checked");
        return new SetUpDone(path, "", List.of(), List.of(remark));
    }

    private static VolumeException wrongKind(Path path, HostPathType type, Sight sight) {
        return VolumeException.clean(
                sight.exists() ? "WrongType" : "NotFound",
                "hostPath type check failed: " + path + " is not " + type.words() + ": found " + sight.words());
    }

    private static Path path(String text) throws VolumeException {
        for (String name : text.split("/", -1)) {
            if (name.equals("..")) {
                throw VolumeException.clean("InvalidPath", "invalid HostPath `" + text + "`: must not contain '..'");
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

    /** Nothing was mounted, and what may have been made is the user's now. */
    @Override
    public void tearDown(TearDown what, Progress progress) {}
}
