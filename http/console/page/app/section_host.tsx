/** Loads the module of a section and draws it. A module that cannot be loaded may belong to a release that has gone. */

import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { PageProps, SectionPage } from '../core/section_page.ts'
import type { Project } from '../data/project.ts'
import { hasOtherRelease, out_of_reach } from '../ui/lazy.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Waiting } from '../ui/placeholders/waiting.tsx'
import { loadStyles } from '../ui/styles/styles.ts'
import type { Section } from './sections.ts'

/** The pages that are loaded, by section; null for one that could not be. */
const pages = signal<ReadonlyMap<string, SectionPage | null>>(new Map())

function put(section: string, page: SectionPage | null) {
  pages.value = new Map(pages.value).set(section, page)
}

async function load({ section, load, styles = [] }: Section) {
  try {
    const [{ page }] = await Promise.all([load(), loadStyles(styles)])
    put(section, page)
  } catch (error) {
    globalThis.console.error(error)
    if (await hasOtherRelease()) location.reload()
    else put(section, null)
  }
}

export function SectionHost({
  section,
  ...props
}: { section: Section; project: Project | null } & Omit<PageProps, 'project'>) {
  const page = pages.value.get(section.section)
  useEffect(() => {
    if (page === undefined) void load(section)
  }, [section, page])
  if (page === null) {
    return (
      <div class="page">
        <Trouble title={`${section.name} could not be loaded`} error={out_of_reach} onRetry={() => location.reload()} />
      </div>
    )
  }
  if (!page)
    return (
      <div class="page">
        <Waiting label={`Loading ${section.name}`} rows={4} />
      </div>
    )
  return <page.View {...(props as PageProps)} />
}
