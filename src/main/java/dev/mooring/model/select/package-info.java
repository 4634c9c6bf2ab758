/** Which objects a list or a watch is about: label and field selectors, and reading what they ask for from stored JSON. */
package dev.mooring.model.select;
