/**
 * Settings: what can be set ({@link dev.mooring.cli.config.SettingsTable}), where it is read from
 * ({@link dev.mooring.cli.config.SettingsLoader}) and the immutable result ({@link dev.mooring.cli.config.Settings}).
 */
package dev.mooring.cli.config;
