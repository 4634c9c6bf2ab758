/** Claims that are made together with a Pod, and go with it. */
package dev.mooring.control.ephemeral;
