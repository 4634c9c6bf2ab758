/** Patches of objects: strategic merge, JSON merge (RFC 7386), JSON (RFC 6902). Pure functions; what goes in is never changed. */
package dev.mooring.api.patch;
