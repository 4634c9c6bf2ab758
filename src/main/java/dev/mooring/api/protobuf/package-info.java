/**
 * Reads the protobuf bodies that kubectl and client-go send, into the same JSON trees other bodies are read into. Nothing is ever written
 * as protobuf. Plain library code without state.
 */
package dev.mooring.api.protobuf;
