package dev.mooring.control;

/**
 * Carries out the effects of a controller's decisions. Outlives the controller: work that it has started continues when
 * the controller is restarted, and a new controller decides on the same effects again. Effects are therefore
 * idempotent: an effect whose work is in progress, or no longer needed, is ignored.
 */
@FunctionalInterface
public interface EffectExecutor {
    /** For controllers that propose only. */
    EffectExecutor NONE = effect -> {
        throw new IllegalStateException("No executor for effect: " + effect);
    };

    /**
     * Starts the work of an effect and returns at once.
     *
     * @param effect all proposals of its decision are committed
     */
    void execute(Effect effect);
}
