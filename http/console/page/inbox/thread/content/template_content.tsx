/** A template message as the person sees it: the text of the template with the values of the message. */

import { RichText } from '../../../crm/entry/rich_text.tsx'
import { shownTemplate, textIn } from '../../../crm/template.ts'
import { templatesOf } from '../../../crm/template_texts.ts'
import type { Project } from '../../../data/project.ts'
import type { AnyRecord } from '../../../records/record.ts'
import { Icon, type IconName } from '../../../ui/pictures/icons.tsx'

const ICONS: Partial<Record<string, IconName>> = { image: 'image', video: 'video', location: 'pin' }

export function TemplateContent({
  message: { channel_id, message },
  project,
}: {
  message: AnyRecord
  project: Project
}) {
  const { name, language, variables = {} } = message ?? {}
  const components = templatesOf(project).of({ channel_id: channel_id ?? undefined, name, language }).value?.components
  return (
    <>
      <p class="inbox-kind">
        <Icon name="template" /> {name} <span class="faint">{language}</span>
      </p>
      {components ? (
        <Filled components={components} values={variables} />
      ) : (
        <p class="inbox-text">{Object.values(variables).join(' · ')}</p>
      )}
    </>
  )
}

/** The cards of a carousel are templates themselves, whose variables have the number of the card before their names. */
function Filled({
  components,
  values,
  prefix = '',
}: {
  components: readonly AnyRecord[]
  values: Record<string, string>
  prefix?: string
}) {
  const { header, file, body, footer, buttons } = shownTemplate(components, values, prefix)
  const cards = components.find(({ type }) => String(type).toUpperCase() === 'CAROUSEL')?.cards ?? []
  return (
    <>
      {file && (
        <p class="inbox-kind faint">
          <Icon name={ICONS[file] ?? 'file'} /> {file}
        </p>
      )}
      {header.length > 0 && (
        <p>
          <b>{textIn(header)}</b>
        </p>
      )}
      {body.length > 0 && (
        <p class="inbox-text">
          <RichText text={textIn(body)} has_marks />
        </p>
      )}
      {footer && <p class="faint">{footer}</p>}
      {buttons.length > 0 && (
        <ul class="inbox-choices" aria-label="Buttons">
          {buttons.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {cards.length > 0 && (
        <ol class="inbox-cards" aria-label="Cards">
          {cards.map((card: AnyRecord, at: number) => (
            <li key={at}>
              <Filled components={card.components ?? []} values={values} prefix={`card_${at}_`} />
            </li>
          ))}
        </ol>
      )}
    </>
  )
}
