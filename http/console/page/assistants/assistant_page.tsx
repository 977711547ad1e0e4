/** One assistant: its state, its figures of today, and the parts of its page. */

import { useState } from 'preact/hooks'
import type { Assistant } from '../records/assistant.ts'
import { useActions } from '../ui/actions.ts'
import { number } from '../ui/format/format.ts'
import { lazy } from '../ui/lazy.tsx'
import { toast, toastFault } from '../ui/overlays/toast.ts'
import { Icon } from '../ui/pictures/icons.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Waiting } from '../ui/placeholders/waiting.tsx'
import { loadStyles } from '../ui/styles/styles.ts'
import { Tabs } from '../ui/tabs.tsx'
import type { Assistants } from './assistants.ts'
import { Face } from './face.tsx'
import { InstructionsPart } from './instructions/instructions_part.tsx'
import type { OpenAssistant } from './open_assistant.ts'
import type { PartProps } from './part.ts'
import { type AssistantPart, type AssistantsPlace, assistantsPlace, PARTS } from './places.ts'
import { PlacesPart } from './setup/places_part.tsx'
import { SettingsPart } from './setup/settings_part.tsx'
import { ToolsPart } from './setup/tools_part.tsx'
import { costsText, NEEDS_PERMISSION } from './words.ts'

const TestsPart = lazy(() =>
  Promise.all([import('./tests/tests_part.tsx'), loadStyles(['tests.css'])]).then(([module]) => module.TestsPart),
)

type PlaceOfOne = Extract<AssistantsPlace, { page: 'one' }>

const PART_WORDS: Record<AssistantPart, string> = {
  instructions: 'Instructions',
  settings: 'Settings',
  tools: 'Tools and knowledge',
  places: 'Where it works',
  tests: 'Test sets',
}

export function AssistantPage({
  assistants,
  open,
  place,
}: {
  assistants: Assistants
  open: OpenAssistant
  place: PlaceOfOne
}) {
  const { part } = place
  const { value: assistant, fault } = open.assistant.state.value
  const { project_id, may_manage } = assistants
  useActions(
    () =>
      PARTS.map((one) => ({
        text: `${PART_WORDS[one]} of the assistant`,
        group: 'Assistant',
        icon: 'assistants',
        act: () => (location.hash = assistantsPlace(project_id, open.id, one)),
      })),
    [project_id, open.id],
  )
  const tabs = PARTS.map((one) => ({
    text: PART_WORDS[one],
    href: assistantsPlace(project_id, open.id, ...(one === 'instructions' ? [] : [one])),
    is_current: one === part,
  }))
  return (
    <div class="page assistant-page">
      <a class="back" href={assistantsPlace(project_id)}>
        <Icon name="back" /> Assistants
      </a>
      {assistant && <Head assistants={assistants} assistant={assistant} />}
      {assistant && !may_manage && (
        <p class="note">
          <Icon name="lock" /> <span>You may read this and not change it. {NEEDS_PERMISSION}</span>
        </p>
      )}
      {assistant && <Tabs label="Parts of the assistant" tabs={tabs} />}
      {assistant && <Part {...{ assistants, open, assistant, place }} />}
      {!assistant && !fault && <Waiting label="Loading the assistant" rows={4} />}
      {!assistant &&
        fault &&
        (fault.status === 404 ? (
          <>
            <h1 tabindex={-1}>Assistant</h1>
            <Trouble title="There is no such assistant" error={fault} />
          </>
        ) : (
          <Trouble title="The assistant could not be loaded" error={fault} onRetry={() => open.read()} />
        ))}
    </div>
  )
}

function Part({ place, ...props }: PartProps & { place: PlaceOfOne }) {
  switch (place.part) {
    case 'instructions':
      return <InstructionsPart {...props} chosen={place.block} />
    case 'settings':
      return <SettingsPart {...props} />
    case 'tools':
      return <ToolsPart {...props} />
    case 'places':
      return <PlacesPart {...props} />
    case 'tests':
      return <TestsPart {...props} place={place.tests ?? { page: 'list' }} />
  }
}

function Head({ assistants, assistant }: { assistants: Assistants; assistant: Assistant }) {
  const { _id, name, description, is_active } = assistant
  const [is_busy, setBusy] = useState(false)
  const turn = async () => {
    setBusy(true)
    try {
      assistants.keep(await assistants.api.update(_id, { is_active: !is_active }))
      toast(is_active ? `“${name}” is off: it answers nobody.` : `“${name}” is on.`)
    } catch (error) {
      toastFault(`“${name}” was not changed`, error as Error)
    }
    setBusy(false)
  }
  const figures = assistants.overview.value?.data.find(({ assistant_id }) => assistant_id === _id)
  const { answered = 0, handed_over = 0, failed = 0 } = figures ?? {}
  const costs = figures && costsText(figures)
  return (
    <div class="page-head">
      <div class="page-name">
        <Face assistant={assistant} size="large" />
        <div class="assistant-title">
          <h1 tabindex={-1} class="name">
            <bdi>{name}</bdi>
          </h1>
          {description && <p class="faint">{description}</p>}
        </div>
        <span class={`badge ${is_active ? 'completed' : ''}`}>{is_active ? 'Active' : 'Off'}</span>
      </div>
      {assistants.overview.value && (
        <dl class="assistant-today" aria-label="Today">
          <Figure name="Answered" text={number(answered)} />
          <Figure name="Handed over" text={number(handed_over)} />
          <Figure name="Failed" text={number(failed)} is_bad={failed > 0} />
          {costs && <Figure name="Cost" text={costs} />}
        </dl>
      )}
      {assistants.may_manage && (
        <button type="button" class="button" aria-busy={is_busy} onClick={turn}>
          <Icon name={is_active ? 'stop' : 'done'} /> {is_active ? 'Switch off' : 'Switch on'}
        </button>
      )}
    </div>
  )
}

function Figure({ name, text, is_bad = false }: { name: string; text: string; is_bad?: boolean }) {
  return (
    <div>
      <dt>{name} today</dt>
      <dd class={is_bad ? 'is-bad' : ''}>{text}</dd>
    </div>
  )
}
