/** The descriptions of the APIs that a long run makes once for all its processes (`PARLEY_TEST_DESCRIBED`). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiName } from '../../http/openapi/apis.ts'
import type { Document } from '../../http/openapi/document.ts'

export const apiNames: ApiName[] = ['v1', 'admin']

/** Returns the directory of the run's descriptions. Undefined in a run of a few files. */
export function descriptionsDirectory(): string | undefined {
  return process.env.PARLEY_TEST_DESCRIBED
}

export const documentFile = (name: ApiName): string => `${name}.json`

export function preparedDocument(directory: string, name: ApiName): Document {
  return JSON.parse(readFileSync(join(directory, documentFile(name)), 'utf8'))
}
