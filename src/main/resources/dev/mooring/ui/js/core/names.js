/** Resources that the page knows, their short names, and how names, sizes and times are written. Pure. */

export const RESOURCES = [
  { resource: "storageclasses", kind: "StorageClass", short: "sc", path: "/apis/storage.k8s.io/v1", label: "Classes" },
  { resource: "persistentvolumes", kind: "PersistentVolume", short: "pv", path: "/api/v1", label: "Volumes" },
  {
    resource: "persistentvolumeclaims",
    kind: "PersistentVolumeClaim",
    short: "pvc",
    path: "/api/v1",
    label: "Claims",
    namespaced: true,
  },
  { resource: "pods", kind: "Pod", short: "po", path: "/api/v1", label: "Pods", namespaced: true },
  { resource: "nodes", kind: "Node", short: "no", path: "/api/v1", label: "Nodes" },
  { resource: "namespaces", kind: "Namespace", short: "ns", path: "/api/v1", label: "Namespaces" },
  { resource: "desiredvolumes", kind: "DesiredVolume", short: "dv", path: "/apis/mooring.dev/v1", label: "Desired" },
  { resource: "actualvolumes", kind: "ActualVolume", short: "av", path: "/apis/mooring.dev/v1", label: "Mounts" },
  {
    resource: "volumeoperations",
    kind: "VolumeOperation",
    short: "vop",
    path: "/apis/mooring.dev/v1",
    label: "Operations",
  },
  {
    resource: "volumeattachments",
    kind: "VolumeAttachment",
    short: "va",
    path: "/apis/storage.k8s.io/v1",
    label: "Attachments",
  },
];

const byResource = new Map(RESOURCES.map((each) => [each.resource, each]));
const byShort = new Map(RESOURCES.map((each) => [each.short, each]));
const byKind = new Map(RESOURCES.map((each) => [each.kind, each]));

/** Returns the entry of a resource given as plural with or without group, short name, or kind. */
export function resourceOf(name) {
  const plain = String(name).split(".")[0];
  return byResource.get(plain) || byShort.get(plain) || byKind.get(name);
}

/** Returns the key "resource/namespace/name" or "resource/name"; the resource is without its group. */
export function keyOf(resource, namespace, name) {
  const plain = (resourceOf(resource)?.resource || String(resource)).split(".")[0];
  return namespace ? `${plain}/${namespace}/${name}` : `${plain}/${name}`;
}

export function keyOfObject(object) {
  const meta = object.metadata || {};
  return keyOf(byKind.get(object.kind)?.resource || `${String(object.kind).toLowerCase()}s`, meta.namespace, meta.name);
}

/** Splits a key, also one with a short name or a group. */
export function parseKey(key) {
  const parts = String(key).split("/");
  const entry = resourceOf(parts[0]);
  const resource = entry?.resource || parts[0].split(".")[0];
  const [namespace, name] = parts.length > 2 ? [parts[1], parts.slice(2).join("/")] : ["", parts[1] || ""];
  return { resource, kind: entry?.kind || resource, short: entry?.short || resource, namespace, name };
}

/** Returns the key with a short resource name, as used in URLs and by the command line. */
export function shortKey(key) {
  const { short, namespace, name } = parseKey(key);
  return namespace ? `${short}/${namespace}/${name}` : `${short}/${name}`;
}

/** Returns the normal form of a key or reference. */
export function normalKey(key) {
  const { resource, namespace, name } = parseKey(key);
  return keyOf(resource, namespace, name);
}

/** Shortens a name in the middle to at most max characters; the end of a generated name tells more than its middle. */
export function shorten(name, max) {
  const text = String(name ?? "");
  if (text.length <= max) {
    return text;
  }
  if (max < 4) {
    return text.slice(0, max);
  }
  const generated = /^((?:[a-z]+\/)?(?:[a-z]+-)?)([0-9a-f]{8})-[0-9a-f]{4}-/.exec(text);
  const tail = Math.min(4, Math.floor((max - 1) / 2));
  const head = generated
    ? Math.min(max - 1 - tail, (generated[1] || "").length + 4)
    : max - 1 - Math.max(tail, Math.floor((max - 1) / 3));
  const rest = generated ? tail : max - 1 - head;
  return `${text.slice(0, head)}…${text.slice(text.length - rest)}`;
}

const BINARY = [
  ["Ei", 2 ** 60],
  ["Pi", 2 ** 50],
  ["Ti", 2 ** 40],
  ["Gi", 2 ** 30],
  ["Mi", 2 ** 20],
  ["Ki", 2 ** 10],
];
const DECIMAL = { n: 1e-9, u: 1e-6, m: 1e-3, "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 };

/** Returns the number of a Kubernetes quantity such as 1Gi, or NaN. */
export function quantity(text) {
  const match = /^([+-]?[0-9.]+)([EPTGMK]i|[numkMGTPE]|e[+-]?\d+)?$/.exec(String(text ?? ""));
  if (!match) {
    return NaN;
  }
  const unit = match[2] || "";
  if (unit.startsWith("e")) {
    return Number(match[1] + unit);
  }
  const binary = BINARY.find(([name]) => name === unit);
  return Number(match[1]) * (binary ? binary[1] : DECIMAL[unit]);
}

/** Returns milliseconds as 3 s, 4 min, 2 h or 5 d. */
export function duration(millis) {
  const seconds = Math.max(0, Math.round(millis / 1000));
  if (seconds < 100) {
    return `${seconds} s`;
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 100) {
    return `${minutes} min`;
  }
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

/** Returns 1st, 2nd, 3rd, 4th. */
export function ordinal(number) {
  const tens = number % 100;
  const suffix = tens > 10 && tens < 14 ? "th" : { 1: "st", 2: "nd", 3: "rd" }[number % 10] || "th";
  return `${number}${suffix}`;
}

const two = (number) => String(number).padStart(2, "0");

/** Returns the local time of day, with milliseconds if asked for. */
export function clock(time, millis = false) {
  const date = new Date(time);
  const text = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return millis ? `${text}.${String(date.getMilliseconds()).padStart(3, "0")}` : text;
}

export function day(time) {
  const date = new Date(time);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Returns the time of day, with the date in front if it is not the day of the reference. */
export function moment(time, reference = Date.now()) {
  return day(time) === day(reference) ? clock(time) : `${day(time)} ${clock(time)}`;
}

const grouped = new Intl.NumberFormat("en-US");

export function count(number) {
  return grouped.format(number);
}

/** Returns "1 claim" or "3 claims". */
export function plural(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}
