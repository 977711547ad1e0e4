/** `npm run client`: writes the generated files of `http/client/`, and the types of the records of the console and of the command, for the present table of routes. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { clientSource, sourceFile, sourceNames } from './client_source/mod.ts'

const source = clientSource()
for (const name of sourceNames) {
  mkdirSync(new URL('.', sourceFile(name)), { recursive: true })
  writeFileSync(sourceFile(name), source[name])
}
