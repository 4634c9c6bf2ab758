/** The storage controllers together: tables of cases, races, and random histories. */
package dev.mooring.control.cases;
