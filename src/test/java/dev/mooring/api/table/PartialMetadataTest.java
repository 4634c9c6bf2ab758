package dev.mooring.api.table;

import static dev.mooring.api.table.LenientJson.json;
import static dev.mooring.api.table.LenientJson.stored;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PartialMetadataTest {
    private static final byte[] CLAIM =
            stored("{kind: 'PersistentVolumeClaim', spec: {metadata: {name: 'not this'}}, metadata: {name: 'é',"
                    + " managedFields: [{}]}, status: {}}");

    @Test
    void one_object_keepsMetadataOnly() {
        assertThat(json(PartialMetadata.one(CLAIM, AcceptHeader.MetaVersion.V1)))
                .isEqualTo(json("{kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: {name: 'é',"
                        + " managedFields: [{}]}}"));
    }

    @Test
    void list_objects_keepsMetadataOnly() {
        assertThat(json(PartialMetadata.list(
                        List.of(CLAIM, CLAIM), ListMeta.at("5"), AcceptHeader.MetaVersion.V1BETA1)))
                .isEqualTo(json("""
                    {kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1beta1', metadata: {resourceVersion: '5'}, items: [
                      {kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1beta1', metadata: {name: 'é', managedFields: [{}]}},
                      {kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1beta1', metadata: {name: 'é', managedFields: [{}]}}]}
                    """));
    }

    @Test
    void list_withoutObjects_isEmpty() {
        assertThat(json(PartialMetadata.list(List.of(), ListMeta.at("5"), AcceptHeader.MetaVersion.V1))
                        .path("items"))
                .isEqualTo(json("[]"));
    }
}
