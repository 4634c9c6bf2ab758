package dev.mooring.api.container;

/**
 * A container of a Pod. Immutable.
 *
 * @param node the node of the Pod
 * @param id as in the Pod's status, such as docker://…; "" for the newest one of that name. Clients may have written
 *     it: it must only select among the Pod's own containers
 */
public record ContainerRef(String node, String namespace, String pod, String podUid, String container, String id) {

    /** Returns the {@link #id} without the runtime's name. */
    public String bareId() {
        int scheme = id.indexOf("://");
        return scheme < 0 ? id : id.substring(scheme + 3);
    }
}
