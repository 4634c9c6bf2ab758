package dev.mooring.volume;

/** Found by {@link java.util.ServiceLoader}; has a constructor without parameters. */
@FunctionalInterface
public interface VolumePluginProvider {
    VolumePlugin create(PluginParts parts);
}
