/** Values in JSON that cost a careless reader far more than their length. */

/**
 * `text` makes a text of about `bytes` bytes. `filler` is a value of the right form for the place where the bomb
 * stands.
 */
export type Bomb = { name: string; text: (bytes: number, filler: string) => string }

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
  { name: 'long text of escapes', text: (bytes) => `"${'\\u0041'.repeat(bytes / 6)}"` },
  { name: 'long text of NUL', text: (bytes) => `"${'\\u0000'.repeat(bytes / 6)}"` },
  { name: 'many texts with NUL', text: list('"\\u0000"') },
  { name: 'half surrogates', text: (bytes) => `"${'\\ud800'.repeat(bytes / 6)}"` },
  { name: 'long number', text: (bytes) => `1${'0'.repeat(bytes)}` },
  { name: 'exact number', text: (bytes) => `0.${'1'.repeat(bytes)}` },
  { name: 'JSON in a text', text: (bytes) => `"${'['.repeat(bytes)}"` },
]

/** Returns the same text with a property too many when it is an object. */
function nearly(filler: string): string {
  if (filler === '{}') return '{"zz":0}'
  return filler.endsWith('}') ? `${filler.slice(0, -1)},"zz":0}` : filler
}
