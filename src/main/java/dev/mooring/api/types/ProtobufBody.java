package dev.mooring.api.types;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.Set;

/**
 * Decodes bodies of the type {@link #CONTENT_TYPE}: a magic number of four bytes, then an envelope with apiVersion and
 * kind that contains the object. Stateless; thread-safe.
 */
public final class ProtobufBody {
    /** The content type of kubectl and client-go. */
    public static final String CONTENT_TYPE = "application/vnd.kubernetes.protobuf";

    private static final byte[] MAGIC = {'k', '8', 's', 0};
    private static final int TYPE_META = 1 << 3 | WireReader.LENGTH;
    private static final int RAW = 2 << 3 | WireReader.LENGTH;
    private static final int CONTENT_ENCODING = 3 << 3 | WireReader.LENGTH;
    private static final int CONTENT_TYPE_INSIDE = 4 << 3 | WireReader.LENGTH;
    private static final int API_VERSION = 1 << 3 | WireReader.LENGTH;
    private static final int KIND = 2 << 3 | WireReader.LENGTH;

    private static final Set<String> KINDS = Set.of(
            "v1 Binding",
            "v1 ConfigMap",
            "v1 Event",
            "v1 Namespace",
            "v1 Node",
            "v1 PersistentVolume",
            "v1 PersistentVolumeClaim",
            "v1 Pod",
            "v1 PodTemplate",
            "v1 ReplicationController",
            "v1 ResourceQuota",
            "v1 Secret",
            "v1 Service",
            "v1 ServiceAccount",
            "apps/v1 ControllerRevision",
            "apps/v1 DaemonSet",
            "apps/v1 Deployment",
            "apps/v1 ReplicaSet",
            "apps/v1 StatefulSet",
            "authentication.k8s.io/v1 SelfSubjectReview",
            "authentication.k8s.io/v1 TokenRequest",
            "authentication.k8s.io/v1 TokenReview",
            "authorization.k8s.io/v1 LocalSubjectAccessReview",
            "authorization.k8s.io/v1 SelfSubjectAccessReview",
            "authorization.k8s.io/v1 SelfSubjectRulesReview",
            "authorization.k8s.io/v1 SubjectAccessReview",
            "autoscaling/v1 Scale",
            "batch/v1 CronJob",
            "batch/v1 Job",
            "coordination.k8s.io/v1 Lease",
            "node.k8s.io/v1 RuntimeClass",
            "policy/v1 Eviction",
            "scheduling.k8s.io/v1 PriorityClass",
            "storage.k8s.io/v1 StorageClass",
            "storage.k8s.io/v1 VolumeAttachment");

    private ProtobufBody() {}

    /** @return the object with kind and apiVersion, as if it had been sent as JSON */
    public static ObjectNode decode(byte[] body) throws ProtobufException {
        if (!startsWithMagic(body)) {
            throw ProtobufException.malformed(
                    "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
        }
        Envelope envelope = Envelope.read(new WireReader(body, MAGIC.length));
        MessageDescriptor message = envelope.message();
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("kind", envelope.kind);
        object.put("apiVersion", envelope.apiVersion);
        if (envelope.raw.isPresent()) {
            new MessageDecoder(envelope.raw.get()).fields(message, object);
        }
        return object;
    }

    private static boolean startsWithMagic(byte[] body) {
        if (body.length < MAGIC.length) {
            return false;
        }
        for (int i = 0; i < MAGIC.length; i++) {
            if (body[i] != MAGIC[i]) {
                return false;
            }
        }
        return true;
    }

    /** Holder that parses the tables on the first protobuf body: most servers never receive one. */
    private static final class MessageTables {
        static final MessageDescriptors ALL =
                MessageDescriptors.parse(CommonMessages.TABLE + VolumeMessages.TABLE + WorkloadMessages.TABLE);
    }

    /** The message Unknown of apimachinery. */
    private static final class Envelope {
        private String apiVersion = "";
        private String kind = "";
        private Optional<WireReader> raw = Optional.empty();

        static Envelope read(WireReader in) throws ProtobufException {
            Envelope envelope = new Envelope();
            while (in.hasMore()) {
                int tag = in.tag();
                switch (tag) {
                    case TYPE_META -> envelope.readType(in.slice());
                    case RAW -> envelope.raw = Optional.of(in.slice());
                    case CONTENT_ENCODING -> refuseUnless("", "encoded as", in.text());
                    case CONTENT_TYPE_INSIDE -> refuseUnless(CONTENT_TYPE, "of the type", in.text());
                    default -> throw unknown("Unknown", tag);
                }
            }
            return envelope;
        }

        MessageDescriptor message() throws ProtobufException {
            if (kind.isEmpty() || apiVersion.isEmpty()) {
                throw ProtobufException.malformed("protobuf envelope must have apiVersion and kind, got \"" + apiVersion
                        + "\" and \"" + kind + "\"");
            }
            // Every group version has its own DeleteOptions, and all are the same.
            if (!kind.equals("DeleteOptions") && !KINDS.contains(apiVersion + " " + kind)) {
                throw ProtobufException.unsupported("this server does not read protobuf of the kind " + kind + " in "
                        + apiVersion + ": send it as application/json");
            }
            return MessageTables.ALL.get(kind).orElseThrow();
        }

        private void readType(WireReader in) throws ProtobufException {
            while (in.hasMore()) {
                int tag = in.tag();
                switch (tag) {
                    case API_VERSION -> apiVersion = in.text();
                    case KIND -> kind = in.text();
                    default -> throw unknown("TypeMeta", tag);
                }
            }
        }

        private static void refuseUnless(String supported, String what, String found) throws ProtobufException {
            if (!found.isEmpty() && !found.equals(supported)) {
                throw ProtobufException.unsupported("the protobuf envelope has content " + what + " " + found
                        + ", which this server does not read: send it as application/json");
            }
        }

        private static ProtobufException unknown(String message, int tag) {
            return ProtobufException.malformed("invalid protobuf envelope: its message " + message
                    + " has a field number " + (tag >>> 3) + " of wire type " + (tag & 7));
        }
    }
}
