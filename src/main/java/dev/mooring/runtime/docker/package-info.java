/** Containers on a Docker engine, 20.10 or newer, over docker-java's HTTP transport: requests and answers are JSON trees, so that no field is lost. */
package dev.mooring.runtime.docker;
