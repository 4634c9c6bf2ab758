package dev.mooring.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoredObjectTest {
    private static StoredObject stored(String json) {
        return new StoredObject(
                ObjectKey.clusterWide("nodes", "n"), 1, json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        {'kind':'A','metadata':{'name':'ä','managedFields':[{'m':{'x':[1]}}]},'spec':1}     | {'kind':'A','metadata':{'name':'ä'},'spec':1}
        {'metadata':{'managedFields':[],'name':'n'}}                                        | {'metadata':{'name':'n'}}
        {'metadata':{'managedFields':[{}]}}                                                 | {'metadata':{}}
        {'metadata':{'a':{'managedFields':[1]},'managedFields':[{'a':']'}],'z':'\\u00e4'}}  | {'metadata':{'a':{'managedFields':[1]},'z':'\\u00e4'}}
        {'spec':{'managedFields':[1]},'metadata':{'name':'n'}}                              | {'spec':{'managedFields':[1]},'metadata':{'name':'n'}}
        {'metadata':'managedFields','spec':{'managedFields':1}}                             | {'metadata':'managedFields','spec':{'managedFields':1}}
        """)
    void jsonWithoutManagedFields_removesOnlyThoseOfMetadata(String json, String expected) {
        assertThat(new String(stored(json).jsonWithoutManagedFields(), StandardCharsets.UTF_8))
                .isEqualTo(expected.replace('\'', '"'));
    }

    @Test
    void jsonWithoutManagedFields_withoutAny_isTheStoredArray() {
        StoredObject object = stored("{'metadata':{'name':'n'}}");

        assertThat(object.jsonWithoutManagedFields()).isSameAs(object.json());
    }
}
