/**
 * Translates a Pod into container specs and a Pod status, and pulls images.
 */
package dev.mooring.node.container;
