/** What becomes of a volume when its claim is gone: see {@link dev.mooring.control.reclaim.Reclaimer}. */
package dev.mooring.control.reclaim;
