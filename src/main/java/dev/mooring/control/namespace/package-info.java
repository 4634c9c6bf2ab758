/** Emptying namespaces that are being deleted: see {@link dev.mooring.control.namespace.NamespaceCleaner}. */
package dev.mooring.control.namespace;
