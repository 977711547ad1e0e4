import { join } from 'node:path'
import type { PageSource } from '../server/pages/page_source.ts'

const DIRECTORY = join(import.meta.dirname, 'page')

export const docsSource: PageSource = {
  name: 'docs',
  directory: DIRECTORY,
  scripts: ['theme.js'],
  modules: ['main.js'],
  styles: ['content.css', 'frame.css'],
}
