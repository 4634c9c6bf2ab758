/**
 * Files reached by open descriptors: no symbolic link is followed, nothing outside the directory it began in is touched, no other file
 * system is entered. Only for file systems that answer; what may hang belongs into a child process.
 */
package dev.mooring.volume.path;
