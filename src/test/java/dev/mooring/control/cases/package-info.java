/** Tests of all storage controllers together: case tables, races and random histories. */
package dev.mooring.control.cases;
