package dev.mooring.server;

import dev.mooring.api.policy.NamespaceDefaults;
import dev.mooring.api.policy.PodGrants;
import java.nio.file.Path;
import java.util.List;

/**
 * Restrictions on how Pods use the machine.
 *
 * @param grants to users who are not admins
 * @param defaults defaults of all Pods, by namespace
 * @param adminPaths protected paths that are allowed nevertheless
 */
public record PolicySettings(PodGrants grants, NamespaceDefaults defaults, List<Path> adminPaths) {
    public PolicySettings {
        adminPaths = List.copyOf(adminPaths);
    }
}
