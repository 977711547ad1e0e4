import { join } from 'node:path'
import type { PageSource } from '../server/pages/page_source.ts'

const DIRECTORY = join(import.meta.dirname, 'page')

export const docsSource: PageSource = {
  name: 'docs',
  directory: DIRECTORY,
  scripts: ['theme.ts'],
  modules: ['main.ts'],
  styles: ['content.css', 'frame.css'],
}
