/**
 * Who uses a simulated server from outside: users who write through the API's own logic, in a sensible order or none, and watchers who must see
 * all of it. What they were told is remembered and compared with the log.
 */
package dev.mooring.sim.user;
