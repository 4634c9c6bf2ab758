/**
 * The machine: file access through open descriptors, which follows no symbolic links and never leaves the starting directory
 * or its file system; the mount table; and system commands with argument lists, a fixed search path, an empty environment,
 * a deadline and bounded output.
 */
package dev.mooring.host;
