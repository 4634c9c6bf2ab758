package dev.mooring.control.persistentvolume;

/** Why a volume does not match a claim. */
public enum MismatchReason {
    BEING_DELETED("the volume is marked for deletion"),
    TOO_SMALL("requested PV is too small"),
    CLASS_MISMATCH("storageClassName does not match"),
    ATTRIBUTES_CLASS_MISMATCH("volumeAttributesClassName does not match"),
    VOLUME_MODE_MISMATCH("incompatible volumeMode"),
    ACCESS_MODE_MISMATCH("incompatible accessMode"),
    SELECTOR_MISMATCH("the claim's selector does not match the volume's labels");

    private final String text;

    MismatchReason(String text) {
        this.text = text;
    }

    /** Returns Kubernetes' wording for a claim that names the volume. */
    public String text() {
        return text;
    }
}
