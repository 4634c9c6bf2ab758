package dev.mooring.volume;

/** A Pod, and no other of the same name. Directories on the node carry its uid. */
public record PodIdentity(String namespace, String name, String uid) {
    @Override
    public String toString() {
        return namespace + '/' + name;
    }
}
