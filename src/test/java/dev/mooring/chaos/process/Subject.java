package dev.mooring.chaos.process;

/**
 * An object that clients race for.
 *
 * @param collection its path without its name
 */
record Subject(String resource, String collection, String name) {
    static Subject map(int number) {
        return new Subject("configmaps", Api.MAPS, "cm-" + number);
    }

    static Subject claim(int number) {
        return new Subject("persistentvolumeclaims", Api.CLAIMS, "claim-" + number);
    }

    String key() {
        return resource + "/default/" + name;
    }

    String path() {
        return collection + "/" + name;
    }

    boolean isMap() {
        return resource.equals("configmaps");
    }

    String manifest(String value) {
        return isMap() ? Api.configMap(name, value) : Api.claim(name, value);
    }

    /** A merge patch that sets the value, upon a revision unless it is 0. */
    String patch(String value, long ifRevision) {
        String precondition = ifRevision == 0 ? "" : "\"resourceVersion\":\"" + ifRevision + "\"";
        if (isMap()) {
            return "{\"metadata\":{" + precondition + "},\"data\":{\"v\":\"" + value + "\"}}";
        }
        return "{\"metadata\":{" + precondition + (precondition.isEmpty() ? "" : ",") + "\"labels\":{\"v\":\"" + value
                + "\"}}}";
    }
}
