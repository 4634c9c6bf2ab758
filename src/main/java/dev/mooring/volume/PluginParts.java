package dev.mooring.volume;

import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.CommandRunner;
import java.time.Clock;
import java.time.Duration;

/**
 * What plugins are connected to.
 *
 * @param commands for programs of the machine, each with a deadline
 * @param calls to the kernel, for paths that cannot hang
 * @param deadline for a single program that may hang, such as mount.nfs
 */
public record PluginParts(
        NodeLayout layout,
        Mounter mounter,
        CommandRunner commands,
        SystemCalls calls,
        ObjectLookup objects,
        Clock clock,
        Duration deadline) {}
