package dev.mooring.volume;

import dev.mooring.host.CommandRunner;
import dev.mooring.host.SystemCalls;
import java.time.Clock;
import java.time.Duration;

/**
 * Dependencies of volume plugins.
 *
 * @param commands runs programs of the machine, each with a deadline
 * @param calls system calls, for paths that cannot hang
 * @param deadline for a single program that may hang, such as mount.nfs
 * @param tokens issues tokens of service accounts
 */
public record PluginContext(
        NodeLayout layout,
        Mounter mounter,
        CommandRunner commands,
        SystemCalls calls,
        ObjectLookup objects,
        Clock clock,
        Duration deadline,
        PodTokens tokens) {

    /** Creates a context without tokens. */
    public PluginContext(
            NodeLayout layout,
            Mounter mounter,
            CommandRunner commands,
            SystemCalls calls,
            ObjectLookup objects,
            Clock clock,
            Duration deadline) {
        this(layout, mounter, commands, calls, objects, clock, deadline, PodTokens.NONE);
    }
}
