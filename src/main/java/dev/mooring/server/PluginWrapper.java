package dev.mooring.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.volume.ObjectLookup;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.WorkerPoolKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Base of plugins that change how another one sets up and tears down, but not what it says about volumes. */
abstract class PluginWrapper implements VolumePlugin {
    private final VolumePlugin real;

    PluginWrapper(VolumePlugin real) {
        this.real = real;
    }

    @Override
    public final String name() {
        return real.name();
    }

    @Override
    public final boolean supports(JsonNode source) {
        return real.supports(source);
    }

    @Override
    public final Optional<String> sharedIdentity(String name, JsonNode source) {
        return real.sharedIdentity(name, source);
    }

    @Override
    public final WorkerPoolKey workerPool(VolumeSpec volume) {
        return real.workerPool(volume);
    }

    @Override
    public final Optional<String> mountOptionsError(List<String> mountOptions) {
        return real.mountOptionsError(mountOptions);
    }

    @Override
    public final String contentVersion(JsonNode source, ObjectNode pod, ObjectLookup objects) {
        return real.contentVersion(source, pod, objects);
    }

    @Override
    public final Optional<Duration> contentRenewal(JsonNode source) {
        return real.contentRenewal(source);
    }
}
