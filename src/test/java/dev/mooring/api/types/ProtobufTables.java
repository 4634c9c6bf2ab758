package dev.mooring.api.types;

/** Message tables of the decoder, for tests that write bodies. */
public final class ProtobufTables {
    private ProtobufTables() {}

    /** Returns the tables for {@link MessageDescriptors#parse}, without types that are a single JSON value. */
    public static String text() {
        return CommonMessages.TABLE + VolumeMessages.TABLE + WorkloadMessages.TABLE;
    }
}
