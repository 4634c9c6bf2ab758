package dev.mooring.api.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.api.table.AcceptHeader.NegotiatedFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AcceptHeaderTest {

    @ParameterizedTest(name = "\"{0}\"")
    @CsvSource(delimiter = '|', textBlock = """
        ''                                                                                   | json
        '  '                                                                                 | json
        */*                                                                                  | json
        *                                                                                    | json
        application/*                                                                        | json
        application/json                                                                     | json
        APPLICATION/JSON                                                                     | json
        application/json, */*                                                                | json
        application/json;charset=utf-8                                                       | json
        application/json;stream=watch                                                        | json
        application/vnd.kubernetes.protobuf,application/json                                 | json
        application/vnd.kubernetes.protobuf;type=watch, application/json;q=0.1               | json
        text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8                      | json
        application/yaml                                                                     | yaml
        application/yaml,application/json                                                    | yaml
        application/yaml;q=0.5,application/json                                              | json
        */*,application/yaml                                                                 | yaml
        application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json | table v1
        application/json;as=Table;g=meta.k8s.io;v=v1                                         | table v1
        application/json ; as=Table ; g=meta.k8s.io ; v=v1beta1 , application/json           | table v1beta1
        application/json;as=Table;v=v2;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io | table v1beta1
        application/json;as=Table;v=v1;g=other.io,application/json                           | json
        application/json;as=Table;v=v1,application/json                                      | json
        application/json;q=0.5,application/json;as=Table;v=v1;g=meta.k8s.io                  | table v1
        application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json     | json
        application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io                     | metadata list v1
        application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1                     | metadata list v1
        application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1,application/json   | metadata one v1beta1
        application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json | metadata one v1
        application/vnd.kubernetes.protobuf                                                  | none
        application/cbor                                                                     | none
        application/json;q=0                                                                 | none
        application/json;as=Odd;v=v1;g=meta.k8s.io                                           | none
        text/plain                                                                           | none
        text/*                                                                               | none
        ,                                                                                    | none
        nonsense                                                                             | none
        application/json;q=much                                                              | json
        """)
    void parse_header_selectsFirstSupportedFormat(String header, String expected) {
        assertThat(describe(AcceptHeader.parse(header))).isEqualTo(expected);
    }

    @Test
    void parse_unsupportedType_listsSupportedTypes() {
        assertThat(AcceptHeader.parse("application/vnd.kubernetes.protobuf"))
                .isInstanceOf(NegotiatedFormat.NotAcceptable.class);
        assertThat(NegotiatedFormat.NotAcceptable.MESSAGE)
                .isEqualTo("only the following media types are accepted: application/json, application/yaml");
    }

    @Test
    void parse_headerOfKubectl_returnsSharedInstance() {
        String header =
                "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
        String metadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

        assertThat(AcceptHeader.parse(header)).isSameAs(AcceptHeader.parse(header));
        assertThat(AcceptHeader.parse(metadata)).isSameAs(AcceptHeader.parse(metadata));
    }

    private static String describe(NegotiatedFormat format) {
        if (format instanceof NegotiatedFormat.TableFormat table) {
            return "table " + table.version().version();
        }
        if (format instanceof NegotiatedFormat.MetadataOnly metadata) {
            return "metadata " + (metadata.form() == NegotiatedFormat.MetadataForm.ONE ? "one " : "list ")
                    + metadata.version().version();
        }
        return format == NegotiatedFormat.PlainFormat.JSON
                ? "json"
                : format == NegotiatedFormat.PlainFormat.YAML ? "yaml" : "none";
    }
}
