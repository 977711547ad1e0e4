/** Loads the module of a section and draws it. A module that cannot be loaded may belong to a release that has gone. */
import { signal } from '@preact/signals'
import { html } from 'htm/preact'
import { useEffect } from 'preact/hooks'
import { hasOtherRelease, out_of_reach } from '../ui/lazy.js'
import { Trouble } from '../ui/trouble.js'
import { Waiting } from '../ui/waiting.js'
import { loadStyles } from './styles.js'

/** @typedef {import('./sections.js').Section} Section */
/** @typedef {import('./sections.js').SectionPage} SectionPage */

/** The pages that are loaded, by section; null for one that could not be. */
const pages = signal(/** @type {ReadonlyMap<string, SectionPage | null>} */ (new Map()))

/**
 * @param {string} section
 * @param {SectionPage | null} page
 */
function put(section, page) {
  pages.value = new Map(pages.value).set(section, page)
}

/** @param {Section} section */
async function load({ section, load, styles = [] }) {
  try {
    const [{ page }] = await Promise.all([load(), loadStyles(styles)])
    put(section, page)
  } catch (error) {
    globalThis.console.error(error)
    if (await hasOtherRelease()) location.reload()
    else put(section, null)
  }
}

/**
 * @param {{ section: Section } & Record<string, unknown>} props
 */
export function SectionHost({ section, ...props }) {
  const page = pages.value.get(section.section)
  useEffect(() => {
    if (page === undefined) void load(section)
  }, [section, page])
  if (page === null) {
    return html`<div class="page">
      <${Trouble} title="${section.name} could not be loaded" error=${out_of_reach} onRetry=${() => location.reload()} />
    </div>`
  }
  if (!page) return html`<div class="page"><${Waiting} label="Loading ${section.name}" rows=${4} /></div>`
  return html`<${page.View} ...${props} />`
}
