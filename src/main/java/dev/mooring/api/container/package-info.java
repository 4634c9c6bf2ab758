/**
 * {@code pods/log}, {@code pods/exec} and {@code pods/attach} for Kubernetes clients. Containers are reached only
 * through {@link dev.mooring.api.container.ContainerAccess}, on any node.
 */
package dev.mooring.api.container;
