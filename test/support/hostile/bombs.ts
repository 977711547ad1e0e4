/** Values in JSON that cost a careless reader far more than their length. */

/**
 * `text` makes a text of about `bytes` bytes. `filler` is a value of the right form for the place where the bomb
 * stands.
 */
export type Bomb = {
  name: string
  text: (bytes: number, filler: string) => string
  /** It is short whatever `bytes` says, because a longer one would be refused at once. */
  is_short?: true
}

/** A short body may cost as much as one of this size: about 20 ms. */
const MIN_COUNTED = 256 * 1024

/** The number of bytes for which the body with this bomb may cost. */
export function countedBytes({ is_short }: Bomb, bytes: number): number {
  return is_short ? Math.max(MIN_COUNTED, bytes) : bytes
}

function list(item: string) {
  return (bytes: number) => `[${Array(Math.max(1, Math.floor(bytes / (item.length + 1)))).fill(item)}]`
}

function wide(key: (index: number) => string, value: string) {
  return (bytes: number) => {
    const parts: string[] = []
    for (let length = 0, index = 0; length < bytes; index++) {
      const part = `${JSON.stringify(key(index))}:${value}`
      parts.push(part)
      length += part.length + 1
    }
    return `{${parts}}`
  }
}

function deep(open: string, close: string) {
  return (bytes: number) => {
    const levels = Math.max(1, Math.floor(bytes / (open.length + close.length)))
    return `${open.repeat(levels)}0${close.repeat(levels)}`
  }
}

function text(part: string, end = '') {
  const escaped = JSON.stringify(part).slice(1, -1)
  return (bytes: number) => `"${escaped.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(escaped))))}${end}"`
}

/** Names of Unicode in a class of RE2, which stand for hundreds of ranges each: `end` makes each pattern another one. */
function unicodeClass(names: number, end: string): string {
  return `[${'\\PL'.repeat(names)}${end}]`
}

/** Ideographs, hardly any twice. */
function ideographs(count: number): string {
  return Array.from({ length: count }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000))).join('')
}

function keyed(count: number, pair: (index: number) => [string, unknown]): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => pair(index)))
}

/** JSON Schemas of about 7 kB whose patterns take far longer to compile than to read. */
export const SCHEMA_BOMBS: { name: string; schema: Record<string, unknown> }[] = [
  {
    name: 'patterns of Unicode classes',
    schema: { properties: keyed(10, (index) => [`a${index}`, { pattern: unicodeClass(163, `${index}`) }]) },
  },
  {
    name: 'as many names of Unicode as are accepted',
    schema: { properties: { a: { pattern: unicodeClass(40, 'a') } } },
  },
  {
    name: 'names by patterns of Unicode classes',
    schema: { patternProperties: keyed(50, (index) => [unicodeClass(30, `${index}`), {}]) },
  },
  {
    name: 'patterns of Unicode classes that are not complete',
    schema: { properties: keyed(10, (index) => [`a${index}`, { pattern: `${unicodeClass(162, `${index}`)}(` }]) },
  },
  {
    name: 'patterns of Unicode classes in a schema that is refused',
    schema: { properties: keyed(20, (index) => [`a${index}`, { pattern: unicodeClass(163, `${index}`) }]), $id: 'x' },
  },
]

/** The text of a schema of named arguments. */
function schemaText(schema: Record<string, unknown>): string {
  return JSON.stringify({ type: 'object', ...schema })
}

export const BOMBS: Bomb[] = [
  { name: 'list of zeros', text: list('0') },
  { name: 'list of empty objects', text: list('{}') },
  { name: 'list of empty lists', text: list('[]') },
  { name: 'list of empty texts', text: list('""') },
  { name: 'list of nulls', text: list('null') },
  { name: 'list of objects with an unknown property', text: list('{"zz":0}') },
  { name: 'list of unknown types', text: list('{"type":"zz","key":"zz"}') },
  { name: 'list of what belongs there', text: (bytes, filler) => list(filler)(bytes) },
  { name: 'list of what nearly belongs there', text: (bytes, filler) => list(nearly(filler))(bytes) },
  { name: 'object of many properties', text: wide((index) => index.toString(36), '0') },
  { name: 'object of many lists', text: wide((index) => `k${index}`, '[]') },
  { name: 'object of many numbered properties', text: wide((index) => String(index * 7919), '""') },
  { name: 'object of long names', text: wide((index) => `${index}`.padEnd(200, 'x'), '0') },
  { name: 'object of names with dots', text: wide((index) => `${index}.a.b`, '{}') },
  { name: 'object of what belongs there', text: (bytes, filler) => wide((index) => `k${index}`, filler)(bytes) },
  { name: 'objects in each other', text: deep('{"a":', '}') },
  { name: 'lists in each other', text: deep('[', ']') },
  { name: 'objects in each other with brothers', text: deep('{"b":0,"c":[],"a":', '}') },
  { name: 'long text', text: text('a') },
  { name: 'long text of spaces', text: text(' ', 'x') },
  { name: 'long text of commas', text: text('a,') },
  { name: 'long text of dots and at signs', text: text('a.@') },
  { name: 'long address', text: text('https://a.b/', ' ') },
  { name: 'long text of digits', text: text('1', 'x') },
  { name: 'long text of combined emoji', text: text('👩‍👩‍👧‍👦') },
  { name: 'long text of flags', text: text('🇲🇽') },
  { name: 'long text of combining marks', text: text('é́') },
  { name: 'long text of marks on one letter', text: text('\u0301\u0323\u0300') },
  { name: 'address with a long host', text: (bytes) => `"https://${ideographs(bytes / 3)}.com/"` },
  { name: 'address with marks in its host', text: (bytes) => `"https://a${'\u0301\u0323'.repeat(bytes / 4)}.com/"` },
  { name: 'long text of escapes', text: (bytes) => `"${'\\u0041'.repeat(bytes / 6)}"` },
  { name: 'long text of NUL', text: (bytes) => `"${'\\u0000'.repeat(bytes / 6)}"` },
  { name: 'many texts with NUL', text: list('"\\u0000"') },
  { name: 'half surrogates', text: (bytes) => `"${'\\ud800'.repeat(bytes / 6)}"` },
  { name: 'long number', text: (bytes) => `1${'0'.repeat(bytes)}` },
  { name: 'exact number', text: (bytes) => `0.${'1'.repeat(bytes)}` },
  ...SCHEMA_BOMBS.map(({ name, schema }) => ({ name, text: () => schemaText(schema), is_short: true as const })),
  { name: 'JSON in a text', text: (bytes) => `"${'['.repeat(bytes)}"` },
]

/** Returns the same text with a property too many when it is an object. */
function nearly(filler: string): string {
  if (filler === '{}') return '{"zz":0}'
  return filler.endsWith('}') ? `${filler.slice(0, -1)},"zz":0}` : filler
}
