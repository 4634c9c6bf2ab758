package dev.mooring.node.pods;

import dev.mooring.model.ObjectKey;
import dev.mooring.node.container.ConfigException;
import dev.mooring.node.pods.ContainerCache.ActionInProgress;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.runtime.EngineException;
import dev.mooring.volume.WorkerPoolKey;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes containers of Pods: one thread per Pod, and its sandboxes after the other containers, with limited
 * concurrency. A container that cannot be removed does not prevent the removal of others; one that hangs delays its own
 * Pod only. The result is in the cache before the slot is free again. Thread-safe; starting never blocks.
 */
final class ContainerRemover {
    private static final Logger LOG = LoggerFactory.getLogger(ContainerRemover.class);

    private final PodContext context;

    ContainerRemover(PodContext context) {
        this.context = context;
    }

    /** Removes ended containers, unless the slot is busy. */
    void remove(String uid, ObjectKey pod, String slot, List<ContainerFacts> ended) {
        new RemovalTask(uid, pod, slot, List.of(), ended).begin();
    }

    /** Stops and removes the remaining containers of a Pod that does not exist any more. */
    void removeLeftovers(String uid, ObjectKey pod, List<ContainerFacts> left) {
        List<ContainerFacts> live =
                left.stream().filter(each -> each.isLive() && !isSandbox(each)).toList();
        new RemovalTask(uid, pod, PodAction.REMOVAL, live, left).begin();
    }

    private static boolean isSandbox(ContainerFacts facts) {
        return facts.identity().role() == ContainerLabels.ContainerRole.SANDBOX;
    }

    /** One removal for a Pod. Used by one thread at a time. */
    private final class RemovalTask {
        private final String uid;
        private final ObjectKey pod;
        private final String slot;
        private final List<ContainerFacts> live;
        private final List<ContainerFacts> containers;
        private final List<ContainerFacts> sandboxes;
        private Optional<String> failure = Optional.empty();

        private RemovalTask(
                String uid, ObjectKey pod, String slot, List<ContainerFacts> live, List<ContainerFacts> all) {
            this.uid = uid;
            this.pod = pod;
            this.slot = slot;
            this.live = live;
            this.containers = all.stream().filter(each -> !isSandbox(each)).toList();
            this.sandboxes = all.stream().filter(ContainerRemover::isSandbox).toList();
        }

        private void begin() {
            if (!context.cache().beginAction(uid, pod, slot, new ActionInProgress(Optional.empty()))) {
                return;
            }
            if (containers.isEmpty()) {
                context.sandboxRemovalExecutor().submit(WorkerPoolKey.LOCAL, this, this::removeSandboxes);
                return;
            }
            try {
                context.work().threads().execute(this::removeContainers);
            } catch (RejectedExecutionException e) {
                // shutting down
                context.cache().endAction(uid, slot, Optional.empty());
            }
        }

        private void removeContainers() {
            boolean goesOn = false;
            try {
                for (ContainerFacts each : live) {
                    context.runtime().stop(each.id(), PodTerminationPlanner.MIN_GRACE);
                }
                remove(containers);
                goesOn = !sandboxes.isEmpty();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (EngineException e) {
                failed(e.getMessage());
            } catch (RuntimeException | AssertionError | StackOverflowError e) {
                failed(e);
            } finally {
                if (goesOn) {
                    context.sandboxRemovalExecutor().submit(WorkerPoolKey.LOCAL, this, this::removeSandboxes);
                } else {
                    end();
                }
            }
        }

        private void removeSandboxes() {
            try {
                remove(sandboxes);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (RuntimeException | AssertionError | StackOverflowError e) {
                failed(e);
            } finally {
                end();
            }
        }

        private void remove(List<ContainerFacts> all) throws InterruptedException {
            for (ContainerFacts each : all) {
                try {
                    context.runtime().remove(each.id());
                    context.cache().removed(each.id());
                } catch (EngineException e) {
                    failed(e.getMessage());
                }
            }
        }

        private void failed(Throwable unexpected) {
            LOG.atError()
                    .addKeyValue("pod", pod)
                    .addKeyValue("uid", uid)
                    .setCause(unexpected)
                    .log("Failed to remove containers of Pod; retrying");
            failed(String.valueOf(unexpected.getMessage()));
        }

        private void failed(String why) {
            failure = failure.or(() -> Optional.of(why));
        }

        private void end() {
            Optional<PodActionFailure> actionFailure =
                    failure.map(why -> context.nextFailure(uid, slot, ConfigException.CREATE_ERROR, why));
            actionFailure
                    .filter(each -> each.count() == 1)
                    .ifPresent(first -> LOG.atWarn()
                            .addKeyValue("pod", pod)
                            .addKeyValue("uid", uid)
                            .addKeyValue("reason", first.message())
                            .log("Failed to remove containers of Pod; retrying"));
            context.cache().endAction(uid, slot, actionFailure);
            context.requeue().accept(pod);
        }
    }
}
