package dev.mooring.chaos.process;

/**
 * An object that several clients write concurrently.
 *
 * @param collection its path without its name
 */
record ContendedObject(String resource, String collection, String name) {
    static ContendedObject map(int number) {
        return new ContendedObject("configmaps", ServerApi.MAPS, "cm-" + number);
    }

    static ContendedObject claim(int number) {
        return new ContendedObject("persistentvolumeclaims", ServerApi.CLAIMS, "claim-" + number);
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
        return isMap() ? ServerApi.configMap(name, value) : ServerApi.claim(name, value);
    }

    /** Returns a merge patch that sets the value, with the revision as a precondition unless it is 0. */
    String patch(String value, long ifRevision) {
        String precondition = ifRevision == 0 ? "" : "\"resourceVersion\":\"" + ifRevision + "\"";
        if (isMap()) {
            return "{\"metadata\":{" + precondition + "},\"data\":{\"v\":\"" + value + "\"}}";
        }
        return "{\"metadata\":{" + precondition + (precondition.isEmpty() ? "" : ",") + "\"labels\":{\"v\":\"" + value
                + "\"}}}";
    }
}
