package dev.mooring.api.types;

/** The text formats of a request body. */
public enum BodyFormat {
    JSON,
    YAML;

    ParsedBody parse(byte[] body) {
        return this == JSON ? JsonBody.parse(body) : YamlBody.parse(body);
    }
}
