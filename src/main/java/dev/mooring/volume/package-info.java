/**
 * The data of volumes on this machine. {@code path} reaches files without ever being led astray, {@code process} runs commands that may
 * hang, {@code work} makes, deletes, scrubs and grows volumes. Nothing here knows of logs, worlds or controllers.
 */
package dev.mooring.volume;
