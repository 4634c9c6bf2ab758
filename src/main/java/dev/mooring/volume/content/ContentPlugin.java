package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.volume.ObjectLookup;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.TearDown;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.PathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Volumes whose files are made of objects. To set one up again brings it up to date. If that fails, what it showed before stays in force,
 * and the exception says that nothing is left behind: it is as if it had not been tried. If the first set-up fails, nothing stays.
 */
abstract class ContentPlugin implements VolumePlugin {
    private final PluginParts parts;
    private final Keeping keeping;
    private final Wrapper wrapper;

    ContentPlugin(PluginParts parts, Keeping keeping) {
        this.parts = parts;
        this.keeping = keeping;
        this.wrapper = new Wrapper(parts, keeping);
    }

    /** The field of a volume that says it is one of these. */
    abstract String field();

    /** @param source what is in that field */
    abstract ContentSource contentOf(JsonNode source);

    @Override
    public final boolean supports(JsonNode source) {
        return source.hasNonNull(field());
    }

    @Override
    public final Set<ObjectKey> madeOf(JsonNode source, String namespace) {
        return contentOf(source.path(field())).madeOf(namespace);
    }

    @Override
    public final String contentVersion(JsonNode source, ObjectNode pod, ObjectLookup objects) {
        ContentVersion version = new ContentVersion();
        contentOf(source.path(field())).describe(new Surroundings(pod, objects), version);
        return version.text();
    }

    @Override
    public final SetUpDone setUp(SetUp what, Progress progress) throws VolumeException, InterruptedException {
        Path target = what.target();
        boolean published = isPublished(target);
        try {
            Payload payload = payload(what);
            if (!published) {
                wrapper.make(target, progress);
            }
            write(what, payload);
        } catch (VolumeException e) {
            throw published ? e : cleanedUp(target, e, progress);
        } catch (PathException e) {
            VolumeException failed =
                    failed("write the files of volume " + what.volume().name(), e);
            throw published ? failed : cleanedUp(target, failed, progress);
        }
        String source = keeping == Keeping.IN_MEMORY ? "tmpfs" : "";
        return new SetUpDone(target, source, List.of(), List.of());
    }

    private boolean isPublished(Path target) throws VolumeException {
        try {
            return wrapper.isPublished(target);
        } catch (PathException e) {
            throw uncertain("look at " + target, e);
        }
    }

    private Payload payload(SetUp what) throws VolumeException {
        ContentSource source = contentOf(what.volume().source().path(field()));
        Map<String, ContentFile> files = new LinkedHashMap<>();
        source.collect(new Surroundings(what.podObject(), parts.objects()), files);
        return Payload.of(files);
    }

    private void write(SetUp what, Payload payload) throws PathException, InterruptedException {
        GroupAccess access = GroupAccess.of(what.ownership());
        Set<String> nested =
                NestedMountPoints.in(what.podObject(), what.volume().name());
        try (Directory volume = wrapper.open(what.target(), access)) {
            NestedMountPoints.make(volume, nested, access);
            new AtomicWriter(volume, parts.clock()).write(payload, access);
        }
    }

    /** The same failure, with what is certain after cleaning up. */
    private VolumeException cleanedUp(Path target, VolumeException cause, Progress progress)
            throws InterruptedException {
        try {
            wrapper.remove(target, progress);
            return left(Left.NOTHING, cause);
        } catch (VolumeException | PathException e) {
            VolumeException uncertain = left(Left.PERHAPS_SOMETHING, cause);
            uncertain.addSuppressed(e);
            return uncertain;
        }
    }

    private static VolumeException left(Left left, VolumeException cause) {
        VolumeException same = new VolumeException(left, cause.reason(), cause.getMessage(), cause.raw());
        same.initCause(cause);
        return same;
    }

    @Override
    public final void tearDown(TearDown what, Progress progress) throws VolumeException, InterruptedException {
        try {
            wrapper.remove(what.target(), progress);
        } catch (PathException e) {
            throw uncertain("remove volume " + what.name(), e);
        }
    }

    private static VolumeException failed(String what, PathException e) {
        return new VolumeException(Left.NOTHING, "WriteFailed", words(what, e), e.getMessage());
    }

    private static VolumeException uncertain(String what, PathException e) {
        return VolumeException.uncertain("PathFailed", words(what, e), e.getMessage());
    }

    private static String words(String what, PathException e) {
        return "Expected to " + what + ", but " + e.getMessage() + ". It is tried again by itself";
    }
}
