/** Keeps verticles alive: deploys them, notices when they die, and deploys new instances with back-off. */
package dev.mooring.cli.supervise;
