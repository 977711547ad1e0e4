import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { PageSource } from '../server/pages/page_source.ts'

const DIRECTORY = join(import.meta.dirname, 'page')

export const widgetSource: PageSource = {
  name: 'widget',
  directory: DIRECTORY,
  scripts: ['widget.ts'],
  modules: ['chat.ts', ...globSync('words_*.ts', { cwd: DIRECTORY })],
  styles: ['page.css', 'style.css'],
}
