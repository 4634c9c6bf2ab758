/** Volumes grow with what their claims ask for: see {@link dev.mooring.control.expand.Expander}. */
package dev.mooring.control.expand;
