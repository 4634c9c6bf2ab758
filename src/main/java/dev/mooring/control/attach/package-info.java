/** The attach/detach controller: see {@link dev.mooring.control.attach.AttachDetachController}. */
package dev.mooring.control.attach;
