package dev.mooring.volume;

/** Creates a volume plugin. Found by {@link java.util.ServiceLoader}; has a no-argument constructor. */
@FunctionalInterface
public interface VolumePluginProvider {
    VolumePlugin create(PluginContext context);
}
