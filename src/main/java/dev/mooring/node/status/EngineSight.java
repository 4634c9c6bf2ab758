package dev.mooring.node.status;

/** What a node knows of the engine that runs its containers. */
public sealed interface EngineSight {
    /** It is to run none. */
    record Unwanted() implements EngineSight {}

    /** Nobody has asked it yet: what the Node says of it holds. */
    record Unknown() implements EngineSight {}

    /** @param version such as docker://20.10.24 */
    record Present(String version) implements EngineSight {}

    /** @param why in words */
    record Absent(String why) implements EngineSight {}
}
