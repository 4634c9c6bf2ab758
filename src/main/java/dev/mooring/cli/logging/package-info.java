/** Log lines on stderr: for people ({@code text}) or for machines ({@code json}). Set up by code, not XML, to start fast. */
package dev.mooring.cli.logging;
