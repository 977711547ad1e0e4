/** Builds the pages, so that the first start finds them. The set-up runs it. */
import { consoleSource } from '../console/page_source.ts'
import { docsSource } from '../docs/page_source.ts'
import { builtPage } from '../server/pages/built_page.ts'
import { widgetSource } from '../visitors/page_source.ts'

for (const source of [consoleSource, docsSource, widgetSource]) builtPage(source)
