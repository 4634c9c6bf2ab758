/** Controllers of Services. */
package dev.mooring.control.service;
