/** Objects that belong to others go with them: see {@link dev.mooring.control.collect.GarbageCollector}. */
package dev.mooring.control.collect;
