package dev.mooring.volume.host;

import java.nio.file.Path;

/**
 * What a look at a path has found.
 *
 * @param real the same place without symbolic links; for what is not there, as far as that can be told
 * @param words what was found, for people
 */
public record Sight(FileKind kind, Path real, Answers answers, String words) {
    /** Who may go there. */
    public enum Answers {
        /** Everything on the way is on this machine: this process may. */
        AT_ONCE,
        /** It depends on another machine or program: only a child process with a deadline may. */
        PERHAPS_NEVER
    }

    static Sight of(FileKind kind, Path real, Answers answers) {
        return new Sight(kind, real, answers, kind.toString());
    }

    /** The way to it is broken. */
    static Sight broken(Path at, String words) {
        return new Sight(FileKind.BROKEN, at, Answers.AT_ONCE, words);
    }

    public boolean exists() {
        return kind.exists();
    }
}
