package dev.mooring.api.container;

/**
 * One container of a Pod. Immutable.
 *
 * @param node where the Pod is
 * @param id as the Pod's status names it, such as docker://…; "" for the newest one of that name. It comes from an object that clients may have
 *     written: it only chooses among the Pod's own containers
 */
public record ContainerRef(String node, String namespace, String pod, String podUid, String container, String id) {

    /** What follows the runtime's name in the {@link #id}. */
    public String bareId() {
        int scheme = id.indexOf("://");
        return scheme < 0 ? id : id.substring(scheme + 3);
    }
}
