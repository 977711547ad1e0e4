/**
 * A module as browsers get it. It is the module as it was written, without its comments, and with the names of packages
 * replaced by addresses: browsers resolve addresses only, and comments are half of what would be sent.
 */

/** `from 'name'` and `import('name')`, also without spaces as in minified modules. */
const SPECIFIER = /\b(from ?|import ?\( ?|import ?)(["'])([^"'\n]{1,200})\2/g

/** A type that is said within a line. */
const TYPE = /\/\*\* @[^*\n]{1,300}\*\/ ?/g

/**
 * `addressOf` returns the address of a package, relative to the module, or undefined for a name that is no package's.
 */
export function toBrowserModule(source: string, addressOf: (name: string) => string | undefined): string {
  return withoutComments(source).replace(SPECIFIER, (all, statement: string, quote: string, name: string) => {
    const address = addressOf(name)
    return address === undefined ? all : `${statement}${quote}${address}${quote}`
  })
}

/** The modules that a module imports when it is loaded; `import()` is not among them. */
export function importsOf(source: string): string[] {
  return [...source.matchAll(SPECIFIER)].flatMap(([, statement, , name]) => (statement!.includes('(') ? [] : [name!]))
}

/**
 * Removes the comments that have their lines to themselves, and types. A text never looks like one: a test compares the
 * programs before and after.
 */
function withoutComments(source: string): string {
  const kept: string[] = []
  let is_within = false
  for (const line of source.split('\n')) {
    const text = line.trim()
    if (is_within) is_within = !text.endsWith('*/')
    else if (text.startsWith('/*') && (text.endsWith('*/') || !text.includes('*/'))) is_within = !text.endsWith('*/')
    else if (text !== '' && !text.startsWith('//')) kept.push(line)
  }
  return kept.join('\n').replace(TYPE, '')
}
