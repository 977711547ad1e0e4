/** The choice of events: single types, all of a kind, or everything. */

import { useState } from 'preact/hooks'
import type { EventType } from '../records/webhook.ts'
import { Icon } from '../ui/pictures/icons.tsx'
import { areasOf, choose, covers, EVERYTHING, includedIn, matched } from './event_choice.ts'

export function EventPicker({
  entries,
  types,
  error,
  onChange,
}: {
  entries: readonly string[]
  types: readonly EventType[]
  error: string | undefined
  onChange(entries: string[]): void
}) {
  const [text, setText] = useState('')
  const names = types.map(({ type }) => type)
  const described = new Map(types.map(({ type, description }) => [type, description]))
  const words = text.toLowerCase().split(/\s+/)
  const found = names.filter((name) =>
    words.every((word) => `${name} ${described.get(name)}`.toLowerCase().includes(word)),
  )
  const count = matched(entries, names).length
  const set = (one: string, is_on: boolean) => onChange(choose(entries, one, is_on))
  const box = (one: string, label: string, hint?: string) => {
    const by = includedIn(entries, one)
    return (
      <label class={by ? 'webhook-check by' : 'webhook-check'} key={one}>
        <input
          type="checkbox"
          checked={entries.includes(one) || by !== undefined}
          disabled={by !== undefined}
          onChange={({ currentTarget }) => set(one, currentTarget.checked)}
        />
        <span>
          <span class="webhook-type">{label}</span> {hint && <span class="faint">{hint}</span>}
        </span>
      </label>
    )
  }
  return (
    <fieldset class="webhook-events" aria-describedby={error ? 'webhook-events-error' : undefined}>
      <legend>Events</legend>
      <p class="faint" role="status">
        {count === 0 ? 'None chosen yet.' : `${count} of ${names.length} types: `}
        {count > 0 && <span class="webhook-chosen">{[...entries].join(', ')}</span>}
      </p>
      {error && (
        <p id="webhook-events-error" class="field-error">
          <Icon name="alert" /> {error}
        </p>
      )}
      {box(EVERYTHING, 'Everything', 'also types that later versions add')}
      <div class="search">
        <Icon name="search" />
        <input
          type="search"
          aria-label="Search event types"
          placeholder={`Search ${names.length} event types`}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
      </div>
      <div class="webhook-areas" tabindex={0} role="group" aria-label="Event types">
        {areasOf(found).map(({ name, pattern, groups }) => {
          const of_area = names.filter((type) => covers(pattern, type))
          const chosen = matched(entries, of_area).length
          return (
            <details open={text !== '' || chosen > 0} key={name}>
              <summary>
                <b>{name}</b>{' '}
                <span class="faint">
                  {chosen > 0
                    ? `${chosen} of ${of_area.length} chosen`
                    : of_area.length === 1
                      ? '1 type'
                      : `${of_area.length} types`}
                </span>
              </summary>
              <div class="webhook-area">
                {box(pattern, pattern, 'everything of it, now and later')}
                {groups.map((group) => (
                  <div class="webhook-group" key={group.pattern}>
                    {group.pattern !== pattern &&
                      group.types.length > 1 &&
                      box(group.pattern, group.pattern, 'all of these')}
                    {group.types.map((type) => box(type, type, described.get(type)))}
                  </div>
                ))}
              </div>
            </details>
          )
        })}
        {found.length === 0 && <p class="faint webhook-none">No type matches “{text}”.</p>}
      </div>
    </fieldset>
  )
}
