/** Emoji to choose from, with a search. Arrow keys move, Enter in the search takes the first. */
import { useEffect, useState } from 'preact/hooks'
import { useElement } from '../../../ui/hooks.ts'
import { emojiFor } from './emoji_list.ts'

const COLUMNS = 8

export function Emoji({ onChoose }: { onChoose(emoji: string): void }) {
  const grid = useElement<HTMLDivElement>()
  const search = useElement<HTMLInputElement>()
  const [query, setQuery] = useState('')
  useEffect(() => search.current.focus(), [])
  const kinds = emojiFor(query)
  const count = kinds.reduce((sum, { list }) => sum + list.length, 0)
  const move = (event: KeyboardEvent) => {
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS }
    const step = steps[event.key as keyof typeof steps]
    if (!step) return
    const buttons = [...grid.current.querySelectorAll('button')]
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
    // In the search, left and right move within the text.
    if (at < 0 && event.key !== 'ArrowDown') return
    event.preventDefault()
    const to = at < 0 ? buttons[0] : (buttons[at + step] ?? (event.key === 'ArrowUp' ? search.current : undefined))
    to?.focus()
  }
  const take = (event: KeyboardEvent) => {
    const first = kinds[0]?.list[0]
    if (event.key !== 'Enter' || !first) return
    event.preventDefault()
    onChoose(first.emoji)
  }
  return (
    <div class="composer-emoji" ref={grid} onKeyDown={move}>
      <input
        ref={search}
        type="search"
        placeholder="Search emoji"
        aria-label="Search emoji"
        autocomplete="off"
        maxlength={50}
        onInput={({ currentTarget }) => setQuery(currentTarget.value)}
        onKeyDown={take}
      />
      {kinds.map(({ kind, list }) => (
        <div role="group" aria-label={kind} key={kind}>
          <p class="faint" aria-hidden="true">
            {kind}
          </p>
          {list.map(({ emoji, words }) => (
            <button type="button" tabindex={-1} title={words} onClick={() => onChoose(emoji)} key={emoji}>
              {emoji}
            </button>
          ))}
        </div>
      ))}
      <p class={count === 0 ? 'faint' : 'aside'} role="status">
        {count === 0 ? 'No emoji has this name.' : `${count} emoji`}
      </p>
    </div>
  )
}
