package dev.mooring.server;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Sources of settings, lowest precedence first: the configuration file, the environment, flags.
 *
 * @param file must exist if given
 * @param environment all variables; only those with the prefix MOORING_, and few others, are used
 * @param flags values by setting key; an absent flag has no entry
 * @param hostName of this machine, for the default of {@code node}
 */
public record SettingsSources(
        Optional<Path> file, Map<String, String> environment, Map<String, String> flags, String hostName) {}
