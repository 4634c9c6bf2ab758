/** The port by which admins reach the faults that can be had on demand, if the server was configured to have them. */
package dev.mooring.api.chaos;
