/**
 * `node test/run/describe_apis.ts <directory>`: writes the descriptions of the APIs, and the code that compares answers
 * with them. Each process of a run would take most of a second to make both.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Document } from '../../http/openapi/document.ts'
import { apiNames, described } from '../support/described.ts'
import { documentFile } from '../support/prepared_descriptions.ts'
import { validatorsCode, validatorsFile } from '../support/validators.ts'

// biome-ignore lint/suspicious/noExplicitAny: a part of a document is JSON
type Part = any

const SCHEMA = 'content/application~1json/schema'

const directory = process.argv[2]!
mkdirSync(directory, { recursive: true })
for (const name of apiNames) {
  const document = described(name)
  const { requests, responses } = schemasOf(document)
  writeFileSync(join(directory, documentFile(name)), JSON.stringify(document))
  writeFileSync(join(directory, validatorsFile(name)), validatorsCode(name, requests))
  writeFileSync(join(directory, validatorsFile(`${name} closed`)), validatorsCode(`${name} closed`, responses))
}

/** The places of the schemas of all bodies in JSON. */
function schemasOf({ paths }: Document): { requests: string[]; responses: string[] } {
  const requests: string[] = []
  const responses = new Set<string>()
  for (const path of Object.keys(paths))
    for (const [method, { requestBody, responses: answers }] of Object.entries<Part>(paths[path])) {
      const pointer = `/paths/${path.replaceAll('/', '~1')}/${method}`
      if (requestBody?.content['application/json']) requests.push(`${pointer}/requestBody/${SCHEMA}`)
      for (const [status, { $ref, content }] of Object.entries<Part>(answers)) {
        if ($ref) responses.add(`${$ref.slice(1)}/${SCHEMA}`)
        else if (content?.['application/json']) responses.add(`${pointer}/responses/${status}/${SCHEMA}`)
      }
    }
  return { requests, responses: [...responses] }
}
