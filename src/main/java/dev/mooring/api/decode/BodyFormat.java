package dev.mooring.api.decode;

/** The text formats of a request body. */
public enum BodyFormat {
    JSON,
    YAML;

    Parsed parse(byte[] body) {
        return this == JSON ? JsonBody.parse(body) : YamlBody.parse(body);
    }
}
