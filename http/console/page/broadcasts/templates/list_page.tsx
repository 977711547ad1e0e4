/** The message templates of a project. */

import { useEffect } from 'preact/hooks'
import { templatesFor } from '../../crm/template.ts'
import type { Template } from '../../records/template.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { Empty } from '../../ui/placeholders/empty.tsx'
import { Trouble } from '../../ui/placeholders/trouble.tsx'
import { Waiting } from '../../ui/placeholders/waiting.tsx'
import { sentence } from '../compose/words.ts'
import { broadcastsPlace, newTemplatePlace, templatesPlace } from '../places.ts'
import type { Templates } from './templates.ts'
import { notesOf, stateOf } from './words.ts'

type Props = { templates: Templates; channels: ReadonlyMap<string, string> }

export function ListPage({ templates, channels }: Props) {
  useEffect(() => void templates.list.read(), [templates])
  const { project_id, may_manage } = templates
  return (
    <div class="page">
      <a class="back" href={broadcastsPlace(project_id)}>
        <Icon name="back" /> Broadcasts
      </a>
      <div class="page-head">
        <h1 tabindex={-1}>Templates</h1>
        {may_manage && (
          <a class="button primary" href={newTemplatePlace(project_id)}>
            <Icon name="plus" /> New template
          </a>
        )}
      </div>
      <Results templates={templates} channels={channels} />
    </div>
  )
}

function Results({ templates, channels }: Props) {
  const { value, fault } = templates.list.state.value
  const text = templates.search.value
  if (fault)
    return <Trouble title="The templates could not be loaded" error={fault} onRetry={() => templates.list.read()} />
  if (!value) return <Waiting label="Loading templates" rows={6} />
  if (value.length === 0) {
    return (
      <div class="card">
        <Empty
          icon="template"
          title="No templates yet"
          text="A template is the only message that reaches a person who has not written for 24 hours. WhatsApp reviews each one."
        >
          <Start templates={templates} />
        </Empty>
      </div>
    )
  }
  const found = templatesFor(value, text)
  return (
    <>
      <div class="filters">
        <div class="search" role="search">
          <Icon name="search" />
          <input
            type="search"
            maxlength={200}
            placeholder="Search by name, text or language"
            aria-label="Search templates by name, text or language"
            value={text}
            onInput={({ currentTarget }) => (templates.search.value = currentTarget.value)}
          />
        </div>
      </div>
      {found.length === 0 ? (
        <div class="card nothing">
          <h2>No template matches “{text}”</h2>
          <button type="button" class="button" onClick={() => (templates.search.value = '')}>
            Show all templates
          </button>
        </div>
      ) : (
        <ol class="card template-rows">
          {found.map((one) => (
            <Row
              template={one}
              channel={channels.get(one.channel_id)}
              project_id={templates.project_id}
              key={one._id}
            />
          ))}
        </ol>
      )}
    </>
  )
}

function Start({ templates: { may_manage, project_id } }: { templates: Templates }) {
  if (may_manage) {
    return (
      <a class="button primary" href={newTemplatePlace(project_id)}>
        Write the first one
      </a>
    )
  }
  return (
    <p class="faint">
      Writing one needs the permission <code>console.manage_templates</code>.
    </p>
  )
}

function Row({
  template,
  channel,
  project_id,
}: {
  template: Template
  channel: string | undefined
  project_id: string
}) {
  const { _id, name, language, category, components } = template
  const { style, word } = stateOf(template)
  const body = components.find(({ type }) => type === 'BODY')?.text ?? ''
  return (
    <li class="template-row">
      <div class="template-row-name">
        <a id={_id} href={templatesPlace(project_id, _id)}>
          {name}
        </a>
        <p class="faint">{[language, sentence(category), channel].filter(Boolean).join(' · ')}</p>
      </div>
      <p class="faint template-row-text">{body}</p>
      <div class="template-row-state">
        <span class={`badge ${style}`}>{word}</span>
        {notesOf(template).map((note) => (
          <p class="faint" key={note}>
            {note}
          </p>
        ))}
      </div>
    </li>
  )
}
