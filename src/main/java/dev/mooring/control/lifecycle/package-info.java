/** What is known of nodes that fall silent: see {@link dev.mooring.control.lifecycle.NodeLifecycle}. */
package dev.mooring.control.lifecycle;
