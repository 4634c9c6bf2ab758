package dev.mooring.volume;

/** Is told what happens while an operation is under way: each becomes an event in the log. Any thread; never blocks, never throws. */
public interface Progress {
    /** For whoever does not want to know. */
    Progress IGNORED = (reason, message) -> {};

    /**
     * @param reason one word, such as UnmountForced or SettingOwnership
     * @param message a sentence for people
     */
    void step(String reason, String message);
}
