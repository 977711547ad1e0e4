/** `node test/support/run_release_descriptions.ts`: makes the present descriptions those of the last release. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { apiNames, described, releasedFile } from './described.ts'

mkdirSync(new URL('.', releasedFile('v1')), { recursive: true })
for (const name of apiNames) {
  // Samples follow from the rest.
  const text = JSON.stringify(described(name), (key, value) => (key === 'x-codeSamples' ? undefined : value), 1)
  writeFileSync(releasedFile(name), `${text}\n`)
}
