/** Answers that the descriptions of the APIs promise and no test of a run has seen: each status and code of each operation. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiName } from '../../http/openapi/apis.ts'
import { apiNames, documentFile, preparedDocument } from '../support/prepared_descriptions.ts'

/** These are answered from memory once they are made: nothing that they need can fail. */
export const FROM_MEMORY = ['get_openapi', 'get_operator_openapi']
const FAULTS = ['INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE']

/** The answers that a part of the tests saw, and the descriptions that they belong to. */
type Kept = { descriptions: string; seen: string[] }

/** Returns the lines that `drift.ts` noted in `directory`, each `operation status code`. */
export function seenAnswers(directory: string): string[] {
  return [
    ...new Set(readdirSync(directory).flatMap((file) => readFileSync(join(directory, file), 'utf8').split('\n'))),
  ].filter(Boolean)
}

/** Keeps in `path` what a part of the tests saw, for the part that runs after it. */
export function keepAnswers(path: string, seen: string[], descriptions: string): void {
  writeFileSync(path, JSON.stringify({ descriptions: keyOf(descriptions), seen } satisfies Kept))
}

/** Returns what was kept in `path`. Undefined where nothing was, or the descriptions have changed since. */
export function keptAnswers(path: string, descriptions: string): string[] | undefined {
  if (!existsSync(path)) return undefined
  const kept = JSON.parse(readFileSync(path, 'utf8')) as Kept
  return kept.descriptions === keyOf(descriptions) ? kept.seen : undefined
}

/** Returns the answers that were not seen, in the order of the descriptions. `descriptions`: where the run prepared them. */
export function unseenAnswers(seen: readonly string[], descriptions: string): string[] {
  const known = new Set(seen)
  return apiNames.flatMap((name) => promised(descriptions, name)).filter((line) => !known.has(line))
}

function keyOf(descriptions: string): string {
  const hash = createHash('sha1')
  for (const name of apiNames) hash.update(readFileSync(join(descriptions, documentFile(name))))
  return hash.digest('hex')
}

function promised(descriptions: string, name: ApiName): string[] {
  const document = preparedDocument(descriptions, name)
  // biome-ignore lint/suspicious/noExplicitAny: a part of a document is JSON
  const operations = Object.values<any>(document.paths).flatMap((item) => Object.values<any>(item))
  return operations.flatMap(({ operationId, responses }) =>
    // biome-ignore lint/suspicious/noExplicitAny: a part of a document is JSON
    Object.entries<any>(responses).flatMap(([status, response]) => {
      if (Number(status) < 400) return `${operationId} ${status}`
      const shared = response.$ref ? document.components.responses[response.$ref.split('/').at(-1)] : response
      const { examples } = shared.content['application/json']
      // biome-ignore lint/suspicious/noExplicitAny: a part of a document is JSON
      const codes = Object.values<any>(examples).map(({ value }) => value.error.code ?? 'UNAUTHENTICATED')
      const given = FROM_MEMORY.includes(operationId) ? codes.filter((code) => !FAULTS.includes(code)) : codes
      return given.map((code) => `${operationId} ${status} ${code}`)
    }),
  )
}
