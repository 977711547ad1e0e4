/** The places in a body where a bomb may stand: each place that a schema knows, with everything around it. */

// biome-ignore lint/suspicious/noExplicitAny: the parts of a schema depend on its type
type Schema = Record<string, any>

/** `around` puts a JSON text at the place. `filler` is about the shortest text that is valid there. */
export type Place = { path: string; around: (text: string) => string; filler: string }

const WRAPPERS = new Set(['optional', 'nullable', 'nullish', 'exact_optional', 'undefinedable'])

/** Returns every place of a schema, the whole body first. */
export function placesOf(schema: Schema, path = '', around: Place['around'] = (text) => text): Place[] {
  const bare = unwrapped(schema)
  const here: Place = { path, around, filler: fillerOf(bare) }
  return [here, ...inside(bare, path, around)]
}

function inside(schema: Schema, path: string, around: Place['around']): Place[] {
  switch (schema.type) {
    case 'strict_object':
    case 'loose_object': {
      const entries = Object.entries(schema.entries as Record<string, Schema>)
      return entries.flatMap(([key, entry]) =>
        placesOf(entry, `${path}.${key}`, (text) => around(objectWith(entries, key, text))),
      )
    }
    case 'array':
      return placesOf(schema.item, `${path}[]`, (text) => around(`[${text}]`))
    case 'record':
      return placesOf(schema.value, `${path}{}`, (text) => around(`{"key":${text}}`))
    case 'variant':
    case 'union':
      return (schema.options as Schema[]).flatMap((option, index) => placesOf(option, `${path}<${index}>`, around))
    default:
      return []
  }
}

function objectWith(entries: [string, Schema][], key: string, text: string): string {
  const others = entries.filter(([name]) => name !== key).map(([name, entry]) => [name, fillerOf(unwrapped(entry))])
  return `{${[...others, [key, text]].map(([name, value]) => `${JSON.stringify(name)}:${value}`)}}`
}

function unwrapped(schema: Schema): Schema {
  return WRAPPERS.has(schema.type) ? unwrapped(schema.wrapped) : schema
}

function fillerOf(schema: Schema): string {
  const bare = unwrapped(schema)
  switch (bare.type) {
    case 'strict_object':
    case 'loose_object': {
      const entries = Object.entries(bare.entries as Record<string, Schema>)
      return `{${entries.map(([name, entry]) => `${JSON.stringify(name)}:${fillerOf(entry)}`)}}`
    }
    case 'array':
      return `[${fillerOf(bare.item)}]`
    case 'record':
      return '{}'
    case 'variant':
    case 'union':
      return fillerOf(bare.options[0])
    case 'literal':
      return JSON.stringify(bare.literal)
    case 'picklist':
      return JSON.stringify(bare.options[0])
    case 'boolean':
      return 'true'
    case 'number':
      return '1'
    default:
      return '"+5215512345678"'
  }
}
