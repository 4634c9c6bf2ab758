package dev.mooring.api.protobuf;

/** The tables that bodies are read by, for tests that write bodies by them. */
public final class ProtobufTables {
    private ProtobufTables() {}

    /** As {@link Messages#parse} reads them, without the types that are one value in JSON. */
    public static String text() {
        return CommonMessages.TABLE + VolumeMessages.TABLE + WorkloadMessages.TABLE;
    }
}
