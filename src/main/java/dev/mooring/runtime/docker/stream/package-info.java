/**
 * What goes into and comes out of a Docker engine's containers.
 *
 * <p>The engine hands a connection over to a process once it has been asked to ("hijacking"): from then on bytes go both ways, and closing one direction
 * is how a process reads the end of its input. HTTP clients do not let go of a connection like that, so this package speaks the little HTTP there is by
 * itself, from {@link dev.mooring.runtime.docker.stream.Wire} (bytes) over {@link dev.mooring.runtime.docker.stream.Connection} (HTTP/1.1) and
 * {@link dev.mooring.runtime.docker.stream.EngineCalls} (what is asked) to {@link dev.mooring.runtime.docker.stream.StreamSession}. Nothing is buffered
 * beyond one piece: a reader that does not read holds the engine back, and the engine the process.
 */
package dev.mooring.runtime.docker.stream;
