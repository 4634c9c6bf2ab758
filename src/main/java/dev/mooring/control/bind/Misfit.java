package dev.mooring.control.bind;

/** Why a volume cannot be given to a claim. */
public enum Misfit {
    BEING_DELETED("the volume is marked for deletion"),
    TOO_SMALL("requested PV is too small"),
    OTHER_CLASS("storageClassName does not match"),
    OTHER_ATTRIBUTES("volumeAttributesClassName does not match"),
    OTHER_MODE("incompatible volumeMode"),
    OTHER_ACCESS("incompatible accessMode"),
    NOT_SELECTED("the claim's selector does not match the volume's labels");

    private final String text;

    Misfit(String text) {
        this.text = text;
    }

    /** As Kubernetes says it where a claim names the volume. */
    public String text() {
        return text;
    }
}
