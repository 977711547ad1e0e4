/** `node test/support/run_release_descriptions.ts`: makes the present descriptions those of the last release. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { compactJson } from './compact_json.ts'
import { apiNames, described, releasedFile } from './described.ts'
import { consoleNames, releasedConsoleFile } from './field_names.ts'

mkdirSync(new URL('.', releasedFile('v1')), { recursive: true })
for (const name of apiNames) {
  // Samples follow from the rest.
  const text = JSON.stringify(described(name), (key, value) => (key === 'x-codeSamples' ? undefined : value))
  writeFileSync(releasedFile(name), `${compactJson(JSON.parse(text), 3)}\n`)
}
writeFileSync(releasedConsoleFile, `${compactJson(consoleNames(), 1)}\n`)
