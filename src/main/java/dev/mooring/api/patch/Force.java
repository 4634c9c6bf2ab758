package dev.mooring.api.patch;

/** How an apply handles conflicts with other managers. */
public enum Force {
    /** Changes nothing and reports the conflicts. */
    NO,
    /** Takes ownership of the fields. */
    YES
}
