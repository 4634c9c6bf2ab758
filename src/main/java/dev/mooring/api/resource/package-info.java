/**
 * The verbs on resources, and the table of all kinds ({@link dev.mooring.api.resource.KindTable}).
 */
package dev.mooring.api.resource;
