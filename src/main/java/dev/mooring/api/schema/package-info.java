/**
 * The shapes of objects as data: which fields a kind has, of which types, how writers of them get along, and a sentence for people.
 * Written in the {@code .schema} files next to these classes.
 */
package dev.mooring.api.schema;
