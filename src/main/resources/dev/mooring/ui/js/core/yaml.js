/** Writes JSON values as YAML in the style of kubectl. Pure. */

const PLAIN = /^[A-Za-z_/][A-Za-z0-9_./@%+=-]*( [A-Za-z0-9_./@%+=(),-]+)*$/;
const RESERVED = /^(true|false|yes|no|on|off|null|y|n|~)$/i;

export function toYaml(value) {
  return `${block(value, 0)}\n`;
}

function block(value, indent) {
  const pad = " ".repeat(indent);
  if (Array.isArray(value)) {
    return value.map((each) => `${pad}- ${nested(each, indent + 2).trimStart()}`).join("\n");
  }
  return Object.keys(value)
    .map((name) => {
      const each = value[name];
      const head = `${pad}${scalar(name, 0)}:`;
      if (isEmpty(each) || each === null || typeof each !== "object") {
        return `${head} ${scalar(each, indent)}`;
      }
      return `${head}\n${block(each, Array.isArray(each) ? indent : indent + 2)}`;
    })
    .join("\n");
}

function nested(value, indent) {
  return value !== null && typeof value === "object" && !isEmpty(value) ? block(value, indent) : scalar(value, indent);
}

function isEmpty(value) {
  return value !== null && typeof value === "object" && Object.keys(value).length === 0;
}

function scalar(value, indent) {
  if (value !== null && typeof value === "object") {
    return Array.isArray(value) ? "[]" : "{}";
  }
  if (typeof value !== "string") {
    return String(value);
  }
  if (value.includes("\n")) {
    const pad = " ".repeat(indent + 2);
    const end = value.endsWith("\n") ? "" : "-";
    return `|${end}\n${value
      .replace(/\n$/, "")
      .split("\n")
      .map((line) => pad + line)
      .join("\n")}`;
  }
  return PLAIN.test(value) && !RESERVED.test(value) ? value : JSON.stringify(value);
}
