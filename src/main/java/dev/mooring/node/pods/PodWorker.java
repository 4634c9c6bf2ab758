package dev.mooring.node.pods;

import dev.mooring.control.Effect;
import dev.mooring.control.EffectExecutor;
import dev.mooring.model.EventReasons;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.ConfigException;
import dev.mooring.node.pods.ContainerCache.ActionInProgress;
import dev.mooring.node.probe.Hooks;
import dev.mooring.runtime.EngineException;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out the effects of the Pod controller. Executes planned actions, each on its own thread and at most one per
 * slot at a time. The result is in the cache before the slot is free again. Outlives the controller. Thread-safe; never
 * blocks.
 */
final class PodWorker implements EffectExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(PodWorker.class);

    private static final String CREATE_ERROR = ConfigException.CREATE_ERROR;
    private static final String START_ERROR = "RunContainerError";
    private final PodContext context;
    private final PodEventRecorder recorder;
    private final PodActionExecutor executor;
    private final ContainerRemover remover;

    PodWorker(PodContext context) {
        this.context = context;
        this.recorder = new PodEventRecorder(context.actor(), context.work());
        this.executor = new PodActionExecutor(context, recorder);
        this.remover = new ContainerRemover(context);
    }

    @Override
    public void execute(Effect effect) {
        if (effect instanceof PodEffect.RunAction run) {
            begin(run.pod(), run.action());
        } else if (effect instanceof PodEffect.RequestImage request) {
            context.images().request(request.pod(), request.container(), context.requeue());
        } else if (effect instanceof PodEffect.UpdateProbes update) {
            context.probes().updatePod(update.pod(), update.containers(), update.address(), context.requeue());
        } else if (effect instanceof PodEffect.ReadTerminationMessage read) {
            context.messages().read(read.pod(), read.container(), read.ended());
        } else if (effect instanceof PodEffect.NoteVolumeWait wait) {
            context.volumeWaits()
                    .compute(wait.podUid(), (uid, before) -> wait.since().orElse(null));
        } else if (effect instanceof PodEffect.RemoveLeftovers remove) {
            remover.removeLeftovers(remove.podUid(), remove.pod(), remove.containers());
        } else if (effect instanceof PodEffect.ForgetPod forget) {
            forget(forget.podUid());
        } else if (effect instanceof PodEffect.ForgetFailures forget) {
            context.cache().clearFailures(forget.podUid());
        } else if (effect instanceof PodEffect.EnqueuePods enqueue) {
            enqueue.pods().forEach(context.requeue());
        }
    }

    private void forget(String podUid) {
        context.images().forget(podUid);
        context.probes().removePod(podUid);
        context.messages().forget(podUid);
        context.volumeWaits().remove(podUid);
    }

    private void begin(Pod pod, PodAction action) {
        if (action instanceof PodAction.RemoveContainers remove) {
            remover.remove(pod.uid(), pod.key(), remove.slot(), remove.containers());
            return;
        }
        Optional<Instant> end =
                action instanceof PodAction.StopContainer stop ? Optional.of(stop.deadline()) : Optional.empty();
        if (!context.cache().beginAction(pod.uid(), pod.key(), action.slot(), new ActionInProgress(end))) {
            return;
        }
        try {
            context.work().threads().execute(() -> perform(pod, action));
        } catch (RejectedExecutionException e) {
            // shutting down
            context.cache().endAction(pod.uid(), action.slot(), Optional.empty());
        }
    }

    private void perform(Pod pod, PodAction action) {
        Optional<PodActionFailure> actionFailure = Optional.empty();
        try {
            executor.perform(pod, action);
        } catch (EngineException e) {
            actionFailure = failure(pod, action, reason(action), e.getMessage());
            if (action instanceof PodAction.CreateContainer make && e.kind() == EngineException.Kind.NOT_FOUND) {
                // The image was removed meanwhile.
                context.images()
                        .containerCreated(pod.uid(), make.spec().path("name").asText(""));
            }
            if (e.kind() != EngineException.Kind.UNREACHABLE) {
                recordFailure(pod, action, e.getMessage());
            }
        } catch (ConfigException e) {
            actionFailure = failure(pod, action, e.reason(), e.getMessage());
            recorder.warning(pod, EventReasons.FAILED, "Error: " + e.getMessage());
        } catch (Hooks.HookException e) {
            // The hook's message may contain secrets.
            LOG.atWarn()
                    .addKeyValue("pod", pod.key())
                    .addKeyValue("reason", e.getMessage())
                    .log("PostStart hook failed");
            recorder.warning(pod, EventReasons.FAILED_POST_START_HOOK, Hooks.POST_START_FAILED);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | AssertionError | StackOverflowError e) {
            LOG.atError()
                    .addKeyValue("pod", pod.key())
                    .addKeyValue("step", action.slot())
                    .setCause(e)
                    .log("Failed to execute Pod action; retrying");
            actionFailure = failure(pod, action, reason(action), String.valueOf(e.getMessage()));
        } finally {
            context.cache().endAction(pod.uid(), action.slot(), actionFailure);
            context.requeue().accept(pod.key());
        }
    }

    private Optional<PodActionFailure> failure(Pod pod, PodAction action, String reason, String message) {
        return Optional.of(context.nextFailure(pod.uid(), action.slot(), reason, message));
    }

    private static String reason(PodAction action) {
        return action instanceof PodAction.StartContainer ? START_ERROR : CREATE_ERROR;
    }

    private void recordFailure(Pod pod, PodAction action, String message) {
        if (action instanceof PodAction.StartSandbox) {
            recorder.warning(pod, EventReasons.FAILED_CREATE_POD_SANDBOX, "Failed to create pod sandbox: " + message);
        } else if (action instanceof PodAction.CreateContainer || action instanceof PodAction.StartContainer) {
            recorder.warning(pod, EventReasons.FAILED, "Error: " + message);
        } else if (action instanceof PodAction.StopContainer || action instanceof PodAction.ShortenGrace) {
            recorder.warning(pod, EventReasons.FAILED_KILL_POD, "error killing pod: " + message);
        }
    }
}
