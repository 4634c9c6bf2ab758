package dev.mooring.volume;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** The volume plugins of a node. Immutable and thread-safe. */
public final class VolumePlugins {
    private final List<VolumePlugin> plugins;

    public VolumePlugins(List<? extends VolumePlugin> plugins) {
        this.plugins = List.copyOf(plugins);
    }

    /** Loads all plugins on the class path. */
    public static VolumePlugins load(PluginContext context) {
        List<VolumePlugin> found = new ArrayList<>();
        for (VolumePluginProvider each : ServiceLoader.load(VolumePluginProvider.class)) {
            found.add(each.create(context));
        }
        return new VolumePlugins(found);
    }

    /** Returns the plugin that handles the volume source. */
    public Optional<VolumePlugin> forSource(JsonNode source) {
        return plugins.stream().filter(each -> each.supports(source)).findFirst();
    }

    public Optional<VolumePlugin> named(String name) {
        return plugins.stream().filter(each -> each.name().equals(name)).findFirst();
    }

    /** Returns the plugins whose volumes are on other machines. */
    public List<RemotePlugin> remote() {
        return plugins.stream()
                .filter(RemotePlugin.class::isInstance)
                .map(RemotePlugin.class::cast)
                .toList();
    }

    public List<VolumePlugin> all() {
        return plugins;
    }
}
