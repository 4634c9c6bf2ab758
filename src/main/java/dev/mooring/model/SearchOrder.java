package dev.mooring.model;

/** The order in which events are found. */
public enum SearchOrder {
    OLDEST_FIRST,
    NEWEST_FIRST
}
