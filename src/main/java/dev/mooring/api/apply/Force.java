package dev.mooring.api.apply;

/** What an applier does about fields of others that it would change. */
public enum Force {
    /** It leaves all as it is and reports the conflicts. */
    NO,
    /** It takes the fields. */
    YES
}
