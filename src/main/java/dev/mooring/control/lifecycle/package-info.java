/**
 * Controllers for objects of all kinds: garbage collection ({@link GarbageCollector}), deletion of namespaces
 * ({@link NamespaceController}), expiry of Events and tokens ({@link ExpiryController}), node health
 * ({@link NodeLifecycleController}), Pods of missing nodes ({@link PodGarbageCollector}), and the objects that tell clients
 * where the API is ({@link ApiPublisher}).
 */
package dev.mooring.control.lifecycle;
