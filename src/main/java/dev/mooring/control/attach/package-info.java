/** Which volumes are attached to which nodes: see {@link dev.mooring.control.attach.AttachDetach}. */
package dev.mooring.control.attach;
