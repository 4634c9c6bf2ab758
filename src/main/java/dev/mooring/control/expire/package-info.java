/** Things that have had their time go: see {@link dev.mooring.control.expire.Expiry}. */
package dev.mooring.control.expire;
