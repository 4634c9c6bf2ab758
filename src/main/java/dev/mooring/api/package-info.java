/** HTTPS: routes, health, version, metrics, and the guards in front of them. */
package dev.mooring.api;
