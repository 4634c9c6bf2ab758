/**
 * {@code pods/log}, {@code pods/exec} and {@code pods/attach}: what goes into and comes out of containers, as Kubernetes' clients want it.
 * Containers are reached through {@link dev.mooring.api.container.ContainerAccess} only, wherever they run.
 */
package dev.mooring.api.container;
