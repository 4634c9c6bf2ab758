package dev.mooring.cli.config;

import dev.mooring.api.policy.PodGrants;
import java.nio.file.Path;
import java.util.List;

/**
 * What Pods may have of the machine.
 *
 * @param grants to users who are no admins
 * @param adminPaths guarded paths that are allowed all the same
 */
public record PolicySettings(PodGrants grants, List<Path> adminPaths) {
    public PolicySettings {
        adminPaths = List.copyOf(adminPaths);
    }
}
