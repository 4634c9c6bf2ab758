package dev.mooring.control;

/**
 * Work outside the World that a controller decides on, such as a mount or an image pull. A value: it can be compared
 * and printed, and creating it has no consequences. The package that owns the work declares its effects as records.
 */
public interface Effect {}
