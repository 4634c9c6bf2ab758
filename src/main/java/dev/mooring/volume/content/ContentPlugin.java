package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.volume.ObjectLookup;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.PodTokens;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import dev.mooring.volume.VolumePlugin;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Base of the plugins whose files are built from API objects. Setting up an existing volume updates it. If an update
 * fails, the previous content stays in place and the exception reports a clean state. If the first set-up fails,
 * everything is removed.
 */
abstract class ContentPlugin implements VolumePlugin {
    private final PluginContext context;
    private final ContentMedium medium;
    private final ContentDirectory directory;

    ContentPlugin(PluginContext pluginContext, ContentMedium keeping) {
        this.context = pluginContext;
        this.medium = keeping;
        this.directory = new ContentDirectory(pluginContext, keeping);
    }

    /** Returns the field of the volume source that this plugin handles. */
    abstract String field();

    /**
     * Parses the source.
     *
     * @param source value of that field
     */
    abstract ContentSource contentOf(JsonNode source);

    @Override
    public final boolean supports(JsonNode source) {
        return source.hasNonNull(field());
    }

    @Override
    public final String contentVersion(JsonNode source, ObjectNode pod, ObjectLookup objects) {
        ContentVersion version = new ContentVersion();
        contentOf(source.path(field())).describe(new ContentContext(pod, objects, PodTokens.NONE), version);
        return version.text();
    }

    @Override
    public final SetUpResult setUp(SetUpRequest request, OperationProgress progress)
            throws VolumeException, InterruptedException {
        Path target = request.target();
        boolean published = isPublished(target);
        try {
            Payload payload = payload(request);
            if (!published) {
                directory.make(target, progress);
            }
            write(request, payload);
        } catch (VolumeException e) {
            throw published ? e : cleanedUp(target, e, progress);
        } catch (PathException e) {
            VolumeException failed =
                    failed("write the files of volume " + request.volume().name(), e);
            throw published ? failed : cleanedUp(target, failed, progress);
        }
        String source = medium == ContentMedium.IN_MEMORY ? "tmpfs" : "";
        return new SetUpResult(target, source, List.of(), List.of());
    }

    private boolean isPublished(Path target) throws VolumeException {
        try {
            return directory.isPublished(target);
        } catch (PathException e) {
            throw uncertain("inspect " + target, e);
        }
    }

    private Payload payload(SetUpRequest request) throws VolumeException {
        ContentSource source = contentOf(request.volume().source().path(field()));
        Map<String, ContentFile> files = new LinkedHashMap<>();
        source.collect(new ContentContext(request.podObject(), context.objects(), context.tokens()), files);
        return Payload.of(files);
    }

    private void write(SetUpRequest request, Payload payload) throws PathException, InterruptedException {
        FsGroupPermissions access = FsGroupPermissions.of(request.fsGroup());
        Set<String> nested =
                NestedMountPoints.in(request.podObject(), request.volume().name());
        try (OpenDirectory volume = directory.open(request.target(), access)) {
            NestedMountPoints.make(volume, nested, access);
            new AtomicWriter(volume, context.clock()).write(payload, access);
        }
    }

    /** Cleans up and returns the failure with the resulting state. */
    private VolumeException cleanedUp(Path target, VolumeException cause, OperationProgress progress)
            throws InterruptedException {
        try {
            directory.remove(target, progress);
            return left(FailureState.CLEAN, cause);
        } catch (VolumeException | PathException e) {
            VolumeException uncertain = left(FailureState.UNCERTAIN, cause);
            uncertain.addSuppressed(e);
            return uncertain;
        }
    }

    private static VolumeException left(FailureState left, VolumeException cause) {
        VolumeException same = new VolumeException(left, cause.reason(), cause.getMessage(), cause.raw());
        same.initCause(cause);
        return same;
    }

    @Override
    public final void tearDown(TearDownRequest request, OperationProgress progress)
            throws VolumeException, InterruptedException {
        try {
            directory.remove(request.target(), progress);
        } catch (PathException e) {
            throw uncertain("remove volume " + request.name(), e);
        }
    }

    private static VolumeException failed(String action, PathException e) {
        return new VolumeException(FailureState.CLEAN, "WriteFailed", message(action, e), e.getMessage());
    }

    private static VolumeException uncertain(String action, PathException e) {
        return VolumeException.uncertain("PathFailed", message(action, e), e.getMessage());
    }

    private static String message(String action, PathException e) {
        return "Cannot " + action + ": " + e.getMessage() + "; retrying";
    }
}
