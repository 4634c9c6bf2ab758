package dev.mooring.cli.config;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Where settings come from, weakest first: the configuration file, the environment, flags.
 *
 * @param file must exist if given
 * @param environment all variables; those that begin with MOORING_ are looked at, and few others
 * @param flags values by setting key; an absent flag has no entry
 * @param hostName of this machine, for the default of {@code node}
 */
public record SettingsSources(
        Optional<Path> file, Map<String, String> environment, Map<String, String> flags, String hostName) {}
