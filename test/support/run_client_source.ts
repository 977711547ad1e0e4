/** `npm run client`: writes the generated files of `http/client/` for the present table of routes. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { clientSource, sourceFile } from './client_source/mod.ts'

const { types, groups } = clientSource()
mkdirSync(new URL('.', sourceFile('types')), { recursive: true })
writeFileSync(sourceFile('types'), types)
writeFileSync(sourceFile('groups'), groups)
