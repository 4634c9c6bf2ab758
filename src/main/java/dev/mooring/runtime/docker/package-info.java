/**
 * The Docker implementation of the container runtime, for Docker 20.10 or newer, over docker-java's HTTP transport:
 * requests and responses are JSON trees, so that no field is lost.
 *
 * <p>On request the engine upgrades a connection to a raw stream ("hijacking"): from then on bytes flow both ways, and a
 * half-close is the end of the process's input. HTTP clients do not support that, so this package implements the required
 * part of HTTP: {@link dev.mooring.runtime.docker.Transport} (bytes), {@link dev.mooring.runtime.docker.Connection}
 * (HTTP/1.1), {@link dev.mooring.runtime.docker.EngineClient} (requests) and
 * {@link dev.mooring.runtime.docker.StreamSession}. It buffers one chunk at most: a slow reader applies backpressure to the
 * engine, and the engine to the process.
 */
package dev.mooring.runtime.docker;
