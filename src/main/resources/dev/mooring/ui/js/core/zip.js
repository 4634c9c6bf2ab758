/** Reads ZIP files (stored and deflate) with the browser's decompressor. Pure apart from DecompressionStream. */

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const END_LENGTH = 22;
const MAX_COMMENT = 65_535;
const STORED = 0;
const DEFLATED = 8;

/** Limit of one uncompressed file, so that a damaged or hostile archive does not exhaust the browser. */
const MAX_FILE = 512 * 1024 * 1024;

/** Returns a Map of file name to a function that returns a promise of the file's text. */
export function readZip(buffer) {
  const view = new DataView(buffer);
  const end = findEnd(view);
  let at = view.getUint32(end + 16, true);
  const files = new Map();
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (at + 46 > buffer.byteLength || view.getUint32(at, true) !== ENTRY) {
      throw new Error("The ZIP directory is damaged");
    }
    const entry = {
      method: view.getUint16(at + 10, true),
      compressed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
    };
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    const name = new TextDecoder().decode(new Uint8Array(buffer, at + 46, nameLength));
    files.set(name, () => text(buffer, view, name, entry));
    at += 46 + nameLength + extra + comment;
  }
  return files;
}

function findEnd(view) {
  const last = view.byteLength - END_LENGTH;
  for (let at = last; at >= Math.max(0, last - MAX_COMMENT); at--) {
    if (view.getUint32(at, true) === END) {
      return at;
    }
  }
  throw new Error("This is not a ZIP file");
}

async function text(buffer, view, name, entry) {
  if (entry.size > MAX_FILE) {
    throw new Error(`${name} is larger than ${MAX_FILE} bytes`);
  }
  if (entry.offset + 30 > buffer.byteLength || view.getUint32(entry.offset, true) !== LOCAL) {
    throw new Error(`${name} is damaged`);
  }
  const start = entry.offset + 30 + view.getUint16(entry.offset + 26, true) + view.getUint16(entry.offset + 28, true);
  if (start + entry.compressed > buffer.byteLength) {
    throw new Error(`${name} is cut off`);
  }
  const data = new Uint8Array(buffer, start, entry.compressed);
  if (entry.method === STORED) {
    return new TextDecoder().decode(data);
  }
  if (entry.method !== DEFLATED) {
    throw new Error(`${name} uses the unsupported compression method ${entry.method}`);
  }
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const decoder = new TextDecoder();
  const parts = [];
  let size = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return parts.join("") + decoder.decode();
    }
    size += value.length;
    if (size > MAX_FILE) {
      await reader.cancel();
      throw new Error(`${name} is larger than ${MAX_FILE} bytes`);
    }
    parts.push(decoder.decode(value, { stream: true }));
  }
}
