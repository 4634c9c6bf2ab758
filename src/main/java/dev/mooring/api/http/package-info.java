/** The HTTPS server: connections and their limits, requests, watches and responses; health, version and metrics. */
package dev.mooring.api.http;
