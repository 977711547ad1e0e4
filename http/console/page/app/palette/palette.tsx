/**
 * The command palette: everything that can be done here, by a few letters of its name, and what the project holds, found
 * by the search of the server.
 */
import type { TargetedEvent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Console } from '../../core/console.ts'
import { ChannelMark } from '../../crm/channel.tsx'
import { words } from '../../crm/search_words.ts'
import { type Action, actions } from '../../ui/actions.ts'
import { age } from '../../ui/format/format.ts'
import { useElement } from '../../ui/hooks.ts'
import { Keys } from '../../ui/keys.tsx'
import { Icon } from '../../ui/pictures/icons.tsx'
import { matchOf } from './match.ts'
import { searchProject } from './search.ts'

const MAX_ACTIONS = 50
/** Pause in typing after which the server is asked. */
const PAUSE_MS = 120

export function Palette({ core, onClose }: { core: Console; onClose(): void }) {
  const dialog = useElement<HTMLDialogElement>()
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

  const run = (action: Action | undefined) => {
    if (!action) return
    if (action.stays) return action.act()
    dialog.current.close()
    action.act()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      setChosen((chosen + step + rows.length) % Math.max(1, rows.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(rows[chosen])
    }
  }
  const onInput = ({ currentTarget }: TargetedEvent<HTMLInputElement>) => {
    setText(currentTarget.value)
    setChosen(0)
  }
  const onClick = ({ target }: MouseEvent) => target === dialog.current && dialog.current.close()
  return (
    <dialog ref={dialog} class="card palette" aria-label="Command palette" onClose={onClose} onClick={onClick}>
      <div class="palette-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-rows"
          aria-activedescendant={rows.length > 0 ? `palette-${chosen}` : undefined}
          aria-label="Search or command"
          placeholder="Search people, messages and actions"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={onInput}
          onKeyDown={onKeyDown}
        />
      </div>
      <ul id="palette-rows" role="listbox" aria-label="Results">
        {rows.map((action, at) => (
          <li
            id={`palette-${at}`}
            role="option"
            aria-selected={at === chosen}
            key={`${action.group} ${action.text} ${at}`}
            onPointerMove={() => at !== chosen && setChosen(at)}
            onClick={() => run(action)}
          >
            <span class="palette-icon">{action.icon && <Icon name={action.icon} />}</span>
            <span class="palette-text" title={action.title}>
              {action.parts
                ? action.parts.map(({ text, is_match }) => (is_match ? <mark>{text}</mark> : text))
                : action.text}
            </span>
            {action.channel && <ChannelMark type={action.channel} />}
            {action.at && (
              <time class="faint palette-group" datetime={action.at}>
                {age(action.at)}
              </time>
            )}
            <span class="faint palette-group">{action.group}</span>
            {action.keys && <Keys keys={action.keys} />}
          </li>
        ))}
      </ul>
      <p class="palette-note faint" role="status">
        {found.is_busy ? 'Searching…' : rows.length === 0 ? `Nothing matches “${text}”.` : (found.note ?? '')}
      </p>
    </dialog>
  )
}

/** The actions that match, the best first. Without a text all are listed. */
function matching(text: string) {
  const offered = actions.value.filter(({ is_hidden }) => !is_hidden)
  if (text.trim() === '') return offered.slice(0, MAX_ACTIONS)
  return offered
    .map((action) => ({ action, rank: matchOf(text, `${action.text} ${action.group} ${action.words ?? ''}`) }))
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank)
    .slice(0, MAX_ACTIONS)
    .map(({ action }) => action)
}

/** Results of the server's search, as actions that open them. */
function useFound(core: Console, text: string) {
  const [all_of, setAllOf] = useState('')
  const [found, setFound] = useState({
    actions: [] as Action[],
    is_busy: false,
    note: undefined as string | undefined,
  })
  useEffect(() => {
    const project = core.project.value
    const asked = text.trim()
    if (!project || asked.length < 2) return setFound({ actions: [], is_busy: false, note: undefined })
    let is_wanted = true
    setFound((before) => ({ ...before, is_busy: true }))
    const timer = setTimeout(async () => {
      const { actions, note, has_more } = await searchProject(project, asked, all_of === asked)
      const more: Action = {
        text: words.more,
        group: words.search,
        icon: 'search',
        stays: true,
        act: () => setAllOf(asked),
      }
      if (is_wanted) setFound({ actions: has_more ? [...actions, more] : actions, note, is_busy: false })
    }, PAUSE_MS)
    return () => {
      is_wanted = false
      clearTimeout(timer)
    }
  }, [text, all_of])
  return found
}
