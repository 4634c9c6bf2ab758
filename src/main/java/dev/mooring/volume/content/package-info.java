/**
 * Volumes whose files are made of objects: ConfigMaps, Secrets, facts about the Pod, and mixtures. A {@code ContentSource} says which
 * files there should be, the {@code AtomicWriter} makes all of them appear in one step. What is here can be made again at any time, so
 * nothing of it is precious, and nothing a container may have left in it is believed.
 */
package dev.mooring.volume.content;
