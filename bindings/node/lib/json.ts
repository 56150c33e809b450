/** JSON text of values. What JSON does not have is an error that says where it is; nothing is changed. */

/** How deep values may be nested. A record of the tape, which contains the value, is read up to 128 levels. */
const MAX_DEPTH = 100;

/**
 * The JSON text of a value. Properties that are `undefined` are not there, as in `JSON.stringify`. `name` is what the value is
 * called in an error.
 *
 * @internal
 */
export function toJson(value: unknown, name: string): string {
  check(value, name, 0);
  return JSON.stringify(value);
}

function check(value: unknown, path: string, depth: number): void {
  switch (typeof value) {
    case "string":
      if (!value.isWellFormed()) {
        throw new TypeError(`${path}: the string has half of a surrogate pair, which UTF-8 does not have`);
      }
      return;
    case "boolean":
      return;
    case "number":
      if (!Number.isFinite(value)) {
        throw new TypeError(`${path}: NaN and infinity are not numbers of JSON`);
      }
      return;
    case "object":
      if (value !== null) {
        checkParts(value, path, depth);
      }
      return;
    default:
      throw new TypeError(`${path}: JSON has no values of type ${typeof value}`);
  }
}

function checkParts(value: object, path: string, depth: number): void {
  if (depth >= MAX_DEPTH) {
    // The path to a value that contains itself is not worth reading.
    const name = path.split(/[.[]/, 1)[0];
    throw new TypeError(`${name}: it is nested more than ${MAX_DEPTH} levels deep, or contains itself`);
  }
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") {
    throw new TypeError(`${path}: JSON has no values of type ${typeName(value)}`);
  }
  if (Array.isArray(value)) {
    // A hole is `undefined`, which `forEach` would skip.
    for (let index = 0; index < value.length; index += 1) {
      check(value[index], `${path}[${index}]`, depth + 1);
    }
    return;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  // An object of another realm has another `Object.prototype`.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw new TypeError(`${path}: JSON has no values of type ${typeName(value)}`);
  }
  for (const key of Object.keys(value)) {
    const field = (value as Record<string, unknown>)[key];
    if (field !== undefined) {
      if (!key.isWellFormed()) {
        throw new TypeError(`${path}: a key has half of a surrogate pair, which UTF-8 does not have`);
      }
      check(field, /^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`, depth + 1);
    }
  }
}

/**
 * The name of a value's type, for messages.
 *
 * @internal
 */
export function typeName(value: unknown): string {
  if (typeof value !== "object" || value === null) {
    return value === null ? "null" : typeof value;
  }
  const constructor: unknown = (value as { constructor?: unknown }).constructor;
  return typeof constructor === "function" && constructor.name !== "" ? constructor.name : "object";
}
