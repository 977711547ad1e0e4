/** The assistants of a project, with what they did today. */

import { useEffect, useState } from 'preact/hooks'
import type { Assistant, AssistantFigures } from '../records/assistant.ts'
import { number } from '../ui/format/format.ts'
import { Icon } from '../ui/pictures/icons.tsx'
import { Empty } from '../ui/placeholders/empty.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Waiting } from '../ui/placeholders/waiting.tsx'
import type { Assistants } from './assistants.ts'
import { Face } from './face.tsx'
import { ManageButton } from './manage_button.tsx'
import { NewDialog } from './new_dialog.tsx'
import { assistantsPlace } from './places.ts'
import { costsText, namesOf, placesText } from './words.ts'

/** Pause in typing after which the list follows. */
const SEARCH_MS = 250

export function ListPage({ assistants, search, is_new }: { assistants: Assistants; search: string; is_new: boolean }) {
  const { may_manage, project_id } = assistants
  const list = assistants.list.value
  const is_searchable = search !== '' || (list !== undefined && list.total > 8)
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabindex={-1}>Assistants</h1>
        <div class="actions">
          {is_searchable && <Search project_id={project_id} search={search} />}
          <ManageButton may_manage={may_manage} href={assistantsPlace(project_id, 'new')} class="button primary">
            <Icon name="plus" /> New assistant
          </ManageButton>
        </div>
      </div>
      <Results assistants={assistants} search={search} />
      {is_new && may_manage && <NewDialog assistants={assistants} />}
    </div>
  )
}

function Search({ project_id, search }: { project_id: string; search: string }) {
  const [text, setText] = useState(search)
  useEffect(() => {
    if (text === search) return
    const timer = setTimeout(() => {
      const address = assistantsPlace(project_id)
      location.replace(text.trim() === '' ? address : `${address}?${new URLSearchParams({ search: text.trim() })}`)
    }, SEARCH_MS)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <div class="search">
      <Icon name="search" />
      <input
        type="search"
        aria-label="Search assistants by name"
        placeholder="Name"
        maxlength={150}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </div>
  )
}

function Results({ assistants, search }: { assistants: Assistants; search: string }) {
  const { value, fault } = assistants.list.state.value
  const overview = assistants.overview.value
  const [is_busy, setBusy] = useState(false)
  if (fault) {
    return <Trouble title="The assistants could not be loaded" error={fault} onRetry={() => assistants.read()} />
  }
  if (!value) return <Waiting label="Loading assistants" rows={3} />
  if (value.data.length === 0) {
    return (
      <div class="card">
        {search === '' ? <None assistants={assistants} /> : <Empty icon="search" title="No assistant has this name" />}
      </div>
    )
  }
  const figures = new Map(overview?.data.map((one) => [one.assistant_id, one]))
  const more = async () => {
    setBusy(true)
    await assistants.more()
    setBusy(false)
  }
  return (
    <>
      <table class="card assistant-table">
        <caption class="aside">Assistants and what they did today</caption>
        <thead>
          <tr>
            <th scope="col">Assistant</th>
            <th scope="col">Where it works</th>
            <th scope="col" class="assistant-figure">
              Answered
            </th>
            <th scope="col" class="assistant-figure">
              Handed over
            </th>
            <th scope="col" class="assistant-figure">
              Failed
            </th>
            <th scope="col" class="assistant-figure">
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {value.data.map((assistant) => (
            <Row
              assistants={assistants}
              assistant={assistant}
              figures={figures.get(assistant._id)}
              is_known={overview !== undefined}
              key={assistant._id}
            />
          ))}
        </tbody>
      </table>
      <p class="faint assistant-hint">
        Figures are those of today in conversations with people. A day begins at midnight in the time zone of the office
        hours, or in UTC where there are none.
      </p>
      {value.has_more && (
        <button type="button" class="button" disabled={is_busy} onClick={more}>
          {is_busy ? 'Loading…' : 'Show more'}
        </button>
      )}
    </>
  )
}

function None({ assistants }: { assistants: Assistants }) {
  const { may_manage, project_id } = assistants
  return (
    <Empty
      icon="assistants"
      title="No assistants yet"
      text="An assistant answers people in your place, from instructions and documents of yours, and leaves a conversation to people when it should."
    >
      <ol class="assistant-steps">
        <li>Create one. It answers nobody at first.</li>
        <li>Write its instructions, and choose what it knows.</li>
        <li>Try it, then say where and when it works.</li>
      </ol>
      {may_manage ? (
        <a class="button primary" href={assistantsPlace(project_id, 'new')}>
          Create the first one
        </a>
      ) : (
        <p class="faint">
          Creating one needs the permission <code>console.manage_assistants</code>.
        </p>
      )}
    </Empty>
  )
}

function Row({
  assistants,
  assistant,
  figures,
  is_known,
}: {
  assistants: Assistants
  assistant: Assistant
  figures: AssistantFigures | undefined
  is_known: boolean
}) {
  const { _id, name, model, is_active } = assistant
  const { channels } = namesOf(assistants.project.definitions.value)
  const none = is_known ? '0' : '…'
  return (
    <tr>
      <th scope="row">
        <span class="assistant-name">
          <Face assistant={assistant} />
          <span>
            <a id={_id} href={assistantsPlace(assistants.project_id, _id)}>
              <bdi>{name}</bdi>
            </a>
            <span class="faint assistant-model">{model}</span>
          </span>
          <span class={`badge ${is_active ? 'completed' : ''}`}>{is_active ? 'Active' : 'Off'}</span>
        </span>
      </th>
      <td class="assistant-places">{is_known ? placesText(figures?.deployments ?? [], channels) : '…'}</td>
      <td class="assistant-figure" data-label="Answered">
        {figures ? number(figures.answered) : none}
      </td>
      <td class="assistant-figure" data-label="Handed over">
        {figures ? number(figures.handed_over) : none}
      </td>
      <td class={`assistant-figure ${figures?.failed ? 'is-bad' : ''}`} data-label="Failed">
        {figures ? number(figures.failed) : none}
      </td>
      <td class="assistant-figure" data-label="Cost">
        {(figures && costsText(figures)) || <span class="faint">–</span>}
      </td>
    </tr>
  )
}
