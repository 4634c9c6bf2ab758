/**
 * Clients of a simulated server: users that write through the API's own logic, and watchers that must see all changes.
 * Responses are recorded and compared with the log.
 */
package dev.mooring.sim.user;
