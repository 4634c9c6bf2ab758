/** Objects, their keys and their encoded form. Pure values: nothing here knows a log, a clock or a network. */
package dev.mooring.model;
