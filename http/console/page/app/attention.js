/** Tells in the tab of the browser that people wait for an answer: the number in its title and a dot on its icon. */
import { html } from 'htm/preact'
import { useEffect } from 'preact/hooks'
import { Counts } from '../inbox/counts.js'

const DOTTED = 'icon_unread.svg'

/**
 * @param {{ core: import('./console.js').Console, project: import('../data/project.js').Project }} props
 */
export function Attention({ core, project }) {
  const { unread } = project.part('counts', () => new Counts(project))
  const count = unread.value
  useEffect(() => {
    core.unread.value = count
    showDot(count > 0)
    return () => {
      core.unread.value = 0
      showDot(false)
    }
  }, [core, count])
  return html``
}

/** @param {boolean} is_shown */
function showDot(is_shown) {
  const link = /** @type {HTMLLinkElement | null} */ (document.querySelector('link[rel=icon]'))
  if (link) link.href = new URL(is_shown ? DOTTED : 'icon.svg', link.href).href
}
