/** Writes the types of the records that agents' and operators' requests answer, for the console's page and the command. */
import { convertSchemas } from '../../../actors/mod.ts'
import type { Document } from '../../../http/openapi/document.ts'
import type { Route } from '../../../http/server/route/route.ts'
import { declarationOf, REFERENCE, type Schema } from './types.ts'

/** The named schemas of these answers. Those that the API has, too, come from the client. */
export function consoleTypesOf(routes: readonly Route[], document: Document): string {
  const answers = routes.flatMap(({ auth, response }) => (auth === 'agent' && response ? [response] : []))
  const { components } = convertSchemas(answers, 'response')
  const own = Object.entries<Schema>(components).filter(([name]) => document.components.schemas[name] === undefined)
  const text = JSON.stringify(own)
  const used = Object.keys(document.components.schemas).filter((name) => text.includes(`"${REFERENCE}${name}"`))
  return [
    used.length === 0 ? '' : `import type { ${used.sort().join(', ')} } from '../../../client/generated/types.ts'\n\n`,
    ...own.map(([name, schema]) => declarationOf(name, schema)),
  ].join('')
}

/** The named schemas of the answers to operators. */
export function operatorTypesOf(routes: readonly Route[]): string {
  const answers = routes.flatMap(({ auth, response }) => (auth === 'operator' && response ? [response] : []))
  const { components } = convertSchemas(answers, 'response')
  return Object.entries<Schema>(components)
    .map(([name, schema]) => declarationOf(name, schema))
    .join('')
}
