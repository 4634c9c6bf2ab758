/** How full volumes are: asked of the kernel where nothing can hang, of a child process with a deadline everywhere else. */
package dev.mooring.volume.usage;
