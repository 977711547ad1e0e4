/**
 * The command palette: everything that can be done here, by a few letters of its name, and what the project holds, found
 * by the search of the server.
 */
import { html } from 'htm/preact'
import { useEffect, useState } from 'preact/hooks'
import { ChannelMark } from '../inbox/channel.js'
import { age } from '../ui/format.js'
import { useElement } from '../ui/hooks.js'
import { Icon } from '../ui/icons.js'
import { Keys } from '../ui/keys.js'
import { actions } from './actions.js'
import { matchOf } from './match.js'
import { searchProject } from './search.js'
import { words } from './search_words.js'

/** @typedef {import('./actions.js').Action} Action */

const MAX_ACTIONS = 50
/** Pause in typing after which the server is asked. */
const PAUSE_MS = 120

/**
 * @param {{ core: import('./console.js').Console, onClose(): void }} props
 */
export function Palette({ core, onClose }) {
  /** @type {import('preact').RefObject<HTMLDialogElement>} */
  const dialog = useElement()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const found = useFound(core, text)
  const rows = [...matching(text), ...found.actions]
  useEffect(() => {
    dialog.current.showModal()
    return () => dialog.current?.close()
  }, [])
  useEffect(() => {
    dialog.current.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen, text])

  /** @param {Action | undefined} action */
  const run = (action) => {
    if (!action) return
    if (action.stays) return action.act()
    dialog.current.close()
    action.act()
  }
  /** @param {KeyboardEvent} event */
  const onKeyDown = (event) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      setChosen((chosen + step + rows.length) % Math.max(1, rows.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(rows[chosen])
    }
  }
  /** @param {{ target: HTMLInputElement }} event */
  const onInput = ({ target }) => {
    setText(target.value)
    setChosen(0)
  }
  /** @param {MouseEvent} event */
  const onClick = ({ target }) => target === dialog.current && dialog.current.close()
  return html`<dialog ref=${dialog} class="card palette" aria-label="Command palette" onClose=${onClose} onClick=${onClick}>
    <div class="palette-field">
      <${Icon} name="search" />
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-rows"
        aria-activedescendant=${rows.length > 0 ? `palette-${chosen}` : undefined}
        aria-label="Search or command"
        placeholder="Search people, messages and actions"
        autocomplete="off"
        spellcheck=${false}
        value=${text}
        onInput=${onInput}
        onKeyDown=${onKeyDown}
      />
    </div>
    <ul id="palette-rows" role="listbox" aria-label="Results">
      ${rows.map(
        (action, at) => html`<li
          id="palette-${at}"
          role="option"
          aria-selected=${String(at === chosen)}
          key=${`${action.group} ${action.text} ${at}`}
          onPointerMove=${() => at !== chosen && setChosen(at)}
          onClick=${() => run(action)}
        >
          <span class="palette-icon">${action.icon && html`<${Icon} name=${action.icon} />`}</span>
          <span class="palette-text" title=${action.title}>${action.parts ? action.parts.map(({ text, is_match }) => (is_match ? html`<mark>${text}</mark>` : text)) : action.text}</span>
          ${action.channel && html`<${ChannelMark} type=${action.channel} />`}
          ${action.at && html`<time class="faint palette-group" datetime=${action.at}>${age(action.at)}</time>`}
          <span class="faint palette-group">${action.group}</span>
          ${action.keys && html`<${Keys} keys=${action.keys} />`}
        </li>`,
      )}
    </ul>
    <p class="palette-note faint" role="status">
      ${found.is_busy ? 'Searching…' : rows.length === 0 ? `Nothing matches “${text}”.` : (found.note ?? '')}
    </p>
  </dialog>`
}

/**
 * The actions that match, the best first. Without a text all are listed.
 *
 * @param {string} text
 */
function matching(text) {
  const offered = actions.value.filter(({ is_hidden }) => !is_hidden)
  if (text.trim() === '') return offered.slice(0, MAX_ACTIONS)
  return offered
    .map((action) => ({ action, rank: matchOf(text, `${action.text} ${action.group} ${action.words ?? ''}`) }))
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank)
    .slice(0, MAX_ACTIONS)
    .map(({ action }) => action)
}

/**
 * Results of the server's search, as actions that open them.
 *
 * @param {import('./console.js').Console} core
 * @param {string} text
 */
function useFound(core, text) {
  const [all_of, setAllOf] = useState('')
  const [found, setFound] = useState({
    actions: /** @type {Action[]} */ ([]),
    is_busy: false,
    note: /** @type {string | undefined} */ (undefined),
  })
  useEffect(() => {
    const project = core.project.value
    const asked = text.trim()
    if (!project || asked.length < 2) return setFound({ actions: [], is_busy: false, note: undefined })
    let is_wanted = true
    setFound((before) => ({ ...before, is_busy: true }))
    const timer = setTimeout(async () => {
      const { actions, note, has_more } = await searchProject(project, asked, all_of === asked)
      /** @type {Action} */
      const more = { text: words.more, group: words.search, icon: 'search', stays: true, act: () => setAllOf(asked) }
      if (is_wanted) setFound({ actions: has_more ? [...actions, more] : actions, note, is_busy: false })
    }, PAUSE_MS)
    return () => {
      is_wanted = false
      clearTimeout(timer)
    }
  }, [text, all_of])
  return found
}
