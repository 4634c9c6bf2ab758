/**
 * Objects, their keys, selectors and encoded form, and rules for host paths. Pure values without dependency on a log, a clock or a
 * network.
 */
package dev.mooring.model;
