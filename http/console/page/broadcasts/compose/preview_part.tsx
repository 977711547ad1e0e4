/** The message as a person will see it, one person after the other. */

import { useState } from 'preact/hooks'
import type { TemplateComponent } from '../../records/template.ts'
import { number } from '../../ui/format/format.ts'
import { Icon, type IconName } from '../../ui/pictures/icons.tsx'
import type { Composition } from './composition.ts'
import { type Piece, previewOf } from './template_text.ts'

const BUTTON_ICONS: Partial<Record<string, IconName>> = {
  url: 'external',
  quick_reply: 'reply',
  phone_number: 'person',
  copy_code: 'copy',
  flow: 'note',
}
const FILE_ICONS: Partial<Record<string, IconName>> = {
  image: 'image',
  video: 'video',
  document: 'file',
  location: 'pin',
}

export function PreviewPart({ composition }: { composition: Composition }) {
  const [at, setAt] = useState(0)
  const template = composition.template.value
  const { people } = composition.sheet.value
  const { sources } = composition.form.value
  const index = Math.min(at, Math.max(0, people.length - 1))
  const person = people[index]
  const fixed = Object.fromEntries(Object.entries(sources).map(([name, { text }]) => [name, text.trim()]))
  const step = (step: number) => setAt(Math.max(0, Math.min(people.length - 1, index + step)))
  return (
    <section class="card compose-preview" aria-labelledby="compose-preview-title">
      <div class="section-head">
        <h2 id="compose-preview-title">Preview</h2>
      </div>
      {template ? (
        <Message components={template.components} values={person?.variables ?? fixed} />
      ) : (
        <p class="faint compose-nothing">Choose a template to see the message.</p>
      )}
      {template && (
        <div class="compose-person">
          <button
            type="button"
            class="quiet icon-button"
            aria-label="Previous recipient"
            disabled={index === 0}
            onClick={() => step(-1)}
          >
            <Icon name="back" />
          </button>
          <p role="status">
            {person ? (
              <>
                <b>{person.phone}</b>{' '}
                <span class="faint">
                  line {number(person.line)} · {number(index + 1)} of {number(people.length)}
                </span>
              </>
            ) : (
              <span class="faint">Add recipients to see their messages.</span>
            )}
          </p>
          <button
            type="button"
            class="quiet icon-button"
            aria-label="Next recipient"
            disabled={index >= people.length - 1}
            onClick={() => step(1)}
          >
            <Icon name="next" />
          </button>
        </div>
      )}
    </section>
  )
}

function Message({ components, values }: { components: TemplateComponent[]; values: Record<string, string> }) {
  const { header, file, body, footer, buttons, cards } = previewOf(components, values)
  return (
    <div class="compose-chat">
      <div class="compose-bubble">
        {file && (
          <p class="compose-file">
            <Icon name={FILE_ICONS[file.kind] ?? 'file'} /> <span>{file.value || `The ${file.kind}`}</span>
          </p>
        )}
        {header.length > 0 && (
          <p class="compose-header">
            <Pieces pieces={header} />
          </p>
        )}
        <p class="compose-body">
          <Pieces pieces={body} />
        </p>
        {footer && <p class="faint compose-footer">{footer}</p>}
        {cards > 0 && <p class="faint">{cards === 1 ? '1 card' : `${cards} cards`} to swipe through</p>}
      </div>
      {buttons.map(({ kind, text }, at) => (
        <p class="compose-button" key={at}>
          {BUTTON_ICONS[kind] && <Icon name={BUTTON_ICONS[kind]} />} {text}
        </p>
      ))}
    </div>
  )
}

function Pieces({ pieces }: { pieces: Piece[] }) {
  return pieces.map(({ text, variable, is_open }, at) =>
    variable ? (
      <span class={is_open ? 'compose-value open' : 'compose-value'} title={variable} key={at}>
        {text}
      </span>
    ) : (
      text
    ),
  )
}
